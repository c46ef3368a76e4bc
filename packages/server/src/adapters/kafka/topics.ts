import { Admin } from '@platformatic/kafka'
import { answered } from './failures.ts'
import { isPowerOfTwo, type Settings } from './options.ts'

/** Dead records are few and need no order. */
const DEAD_PARTITIONS = 1

/** The topic is not as it was asked for; only people can tell which is right. */
export class WrongTopicError extends Error {
  override readonly name = 'WrongTopicError'
}

export async function withAdmin<T>(
  settings: Settings,
  work: (admin: Admin) => Promise<T>
): Promise<T> {
  const { brokers, clientId, security, tuning } = settings
  const admin = new Admin({
    ...security,
    clientId,
    bootstrapBrokers: [...brokers],
    connectTimeout: tuning.requestMs,
    strict: false
  })
  try {
    return await work(admin)
  } finally {
    await admin.close()
  }
}

/** Makes both topics unless they exist. Returns whether the topic of events was made. @throws when its partitions are not as told. */
export async function ensureTopics(settings: Settings): Promise<boolean> {
  const { topic, deadTopic, partitions } = settings
  return await withAdmin(settings, async admin => {
    await create(admin, settings, deadTopic, DEAD_PARTITIONS)
    const created = await create(admin, settings, topic, partitions)
    if (!created) await check(admin, settings)
    return created
  })
}

async function create(
  admin: Admin,
  { replicas }: Settings,
  topic: string,
  partitions: number
): Promise<boolean> {
  try {
    const named = { topic, partitions, ...(replicas === undefined ? {} : { replicas }) }
    await admin.createTopics({ topics: [named] })
    return true
  } catch (error) {
    if (answered(error, 'TOPIC_ALREADY_EXISTS')) return false
    throw error
  }
}

async function check(admin: Admin, { topic, partitions }: Settings): Promise<void> {
  const { topics } = await admin.metadata({ topics: [topic], forceUpdate: true })
  const found = topics.get(topic)?.partitionsCount
  if (found === partitions) return
  if (found === undefined) throw new Error(`The topic ${topic} is not known yet`)
  const wrong = `The topic ${topic} has ${found} partitions, and ${partitions} were asked for`
  const why = !isPowerOfTwo(found)
    ? 'A count has to be a power of two.'
    : 'Another count would send the events of an author elsewhere.'
  throw new WrongTopicError(`${wrong}. ${why}`)
}
