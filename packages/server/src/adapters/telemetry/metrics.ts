import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Labels, Telemetry } from '../../ports/telemetry.ts'

const PREFIX = 'fanwise_'

/** Upper ends of the histograms' buckets, in ms. They are given out in seconds, the unit of Prometheus. */
const BUCKETS_MS = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000]

export interface MetricsPage {
  readonly contentType: string
  readonly body: string
}

export interface Metrics extends Pick<Telemetry, 'count' | 'gauge' | 'observe'> {
  /** The present values in the text format of Prometheus. */
  read(): Promise<MetricsPage>
}

/**
 * The name that a metric has in Prometheus: counters end in `_total`, durations in `_seconds`.
 * `posts` -> `fanwise_posts_total`, `page_ms` -> `fanwise_page_seconds`, `outbox_pending` -> `fanwise_outbox_pending`.
 */
export function metricName(kind: 'count' | 'gauge' | 'observe', name: string): string {
  const stem = PREFIX + name
  if (kind === 'count') return stem.endsWith('_total') ? stem : `${stem}_total`
  if (kind === 'gauge' || stem.endsWith('_seconds')) return stem
  return `${stem.replace(/_ms$/, '')}_seconds`
}

interface Definition {
  readonly name: string
  readonly help: string
  readonly labelNames: string[]
  readonly registers: Registry[]
}

/** Keeps metrics of one kind, each made when its name first comes; the labels of that first time are its labels. */
function keeper<M>(
  kind: 'count' | 'gauge' | 'observe',
  registry: Registry,
  make: (of: Definition) => M
) {
  const made = new Map<string, M>()
  return (given: string, labels: Labels): M => {
    const found = made.get(given)
    if (found !== undefined) return found
    const name = metricName(kind, given)
    const help = given.replaceAll('_', ' ')
    const metric = make({ name, help, labelNames: Object.keys(labels), registers: [registry] })
    made.set(given, metric)
    return metric
  }
}

/**
 * Metrics in a registry of their own, so that two servers in one process don't mix, with those of the process.
 * `complain` is told of names and labels that don't fit, once for each metric: measuring never fails a request.
 */
export function createMetrics(complain: (name: string, error: unknown) => void): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const counter = keeper('count', registry, of => new Counter(of))
  const gauge = keeper('gauge', registry, of => new Gauge(of))
  const buckets = BUCKETS_MS.map(ms => ms / 1000)
  const histogram = keeper('observe', registry, of => new Histogram({ ...of, buckets }))
  const faulty = new Set<string>()
  function safely(name: string, measure: () => void): void {
    try {
      measure()
    } catch (error) {
      if (!faulty.has(name)) complain(name, error)
      faulty.add(name)
    }
  }
  return {
    count: (name, by = 1, labels = {}) => safely(name, () => counter(name, labels).inc(labels, by)),
    gauge: (name, value, labels = {}) => safely(name, () => gauge(name, labels).set(labels, value)),
    observe: (name, ms, labels = {}) =>
      safely(name, () => histogram(name, labels).observe(labels, ms / 1000)),
    read: async () => ({ contentType: registry.contentType, body: await registry.metrics() })
  }
}
