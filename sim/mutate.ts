// Loads the program with one of its files changed, beside the program as it is: modules of a mutant have its name in
// their URL, and so have all that they import.
import { registerHooks } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

/** One change of the source text: a known mistake. */
export interface Mutation {
  readonly name: string
  /** What no longer holds. */
  readonly off: string
  /** From the root of the checkout. */
  readonly file: string
  /** Stands exactly once in the file. */
  readonly find: string
  readonly replace: string
}

const ROOT = path.dirname(import.meta.dirname)
const ROOT_URL = pathToFileURL(`${ROOT}/`).href
const mutations = new Map<string, Mutation>()
/** Mutations whose text was found and replaced. */
const applied = new Set<string>()

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context)
    const name = mutantOf(context.parentURL)
    const ours = found.url.startsWith(ROOT_URL) && !found.url.includes('/node_modules/')
    return name === null || !ours ? found : { ...found, url: addMutant(found.url, name) }
  },
  load(url, context, next) {
    const loaded = next(url, context)
    const mutation = mutations.get(mutantOf(url) ?? '')
    if (mutation === undefined || fileOf(url) !== mutation.file) return loaded
    return { ...loaded, source: mutate(mutation, String(loaded.source)) }
  }
})

function mutantOf(url: string | undefined): string | null {
  if (url === undefined || !url.startsWith(ROOT_URL)) return null
  return new URL(url).searchParams.get('mutant')
}

function addMutant(url: string, name: string): string {
  const changed = new URL(url)
  changed.searchParams.set('mutant', name)
  return changed.href
}

function fileOf(url: string): string {
  return url.slice(ROOT_URL.length).split('?')[0] ?? ''
}

/** @throws Error unless the text stands in the source exactly once */
export function mutate({ name, file, find, replace }: Mutation, source: string): string {
  const parts = source.split(find)
  if (parts.length !== 2)
    throw new Error(`${name}: its text stands ${parts.length - 1} times in ${file}`)
  applied.add(name)
  return parts.join(replace)
}

/** The module as it is with the mutation. @throws Error when the mutation changed nothing */
export async function importMutant<T>(mutation: Mutation, module: string): Promise<T> {
  const { name } = mutation
  mutations.set(name, mutation)
  const loaded: T = await import(addMutant(new URL(module, import.meta.url).href, name))
  if (!applied.has(name)) throw new Error(`${name}: ${mutation.file} is not part of the program`)
  return loaded
}
