import pg from 'pg'

/** Runs `work` over one connection, which it closes. */
export async function withClient<T>(
  url: string,
  work: (client: pg.Client) => Promise<T>
): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  // A session that PostgreSQL ends shows in the query that fails.
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
