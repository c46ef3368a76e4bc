import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

type Response = ServerResponse<IncomingMessage>

/** The requests of each connection that have not arrived whole, or are not answered. */
export class OpenRequests {
  readonly #open = new WeakMap<Socket, Response[]>()

  watch(server: Server): void {
    server.on('request', ({ socket }, response) => {
      this.#open.set(socket, [...this.of(socket), response])
    })
  }

  /** Their answers, in the order of the requests. */
  of(socket: Socket): readonly Response[] {
    const open = this.#open.get(socket) ?? []
    return open.filter(({ closed, req }) => !closed || !req.complete)
  }
}
