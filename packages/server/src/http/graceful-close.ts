import type { FastifyInstance } from 'fastify'

/** On close, requests under way are finished, and the answer closes its connection. */
export function closeGracefully(app: FastifyInstance): void {
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
  })
  app.addHook('onSend', async (_, reply) => {
    if (closing) reply.header('connection', 'close')
  })
}
