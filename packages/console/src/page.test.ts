import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import test from 'node:test'

const FOLDER = import.meta.dirname
const ROOT = path.resolve(FOLDER, '../../..')
const page = read('index.html')
const scripts = globSync('*.js', { cwd: FOLDER }).map(name => ({ name, text: read(name) }))

function read(name: string): string {
  return readFileSync(path.join(FOLDER, name), 'utf8')
}

function all(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, found = '']) => found)
}

test('the scripts fit their types', () => {
  const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc')
  const project = path.join(FOLDER, '../tsconfig.json')
  execFileSync(process.execPath, [tsc, '-p', project], { stdio: 'pipe', encoding: 'utf8' })
  for (const { name, text } of scripts) assert.match(text, /^\/\/ @ts-check\n/, name)
})

test('nothing is inline: the page is served under a policy that refuses it', () => {
  assert.doesNotMatch(page, /<style|\sstyle=|\son[a-z]+=/)
  assert.deepEqual(all(page, /<script[^>]*>([^<]*)<\/script>/g), [''])
})

test('what people wrote never becomes markup', () => {
  const markup = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|setHTMLUnsafe|\beval\(/
  assert.ok(scripts.length > 0)
  for (const { name, text } of scripts) assert.doesNotMatch(text, markup, name)
})

test('every file that the page asks for is there, and every file is asked for', () => {
  const entries = all(page, /<(?:script|link rel="stylesheet")[^>]* (?:src|href)="\/([^"]+)"/g)
  const imported = scripts.flatMap(({ text }) => all(text, /from '\.\/([^']+)'/g))
  const files = globSync('*.{js,css}', { cwd: FOLDER })
  assert.deepEqual([...new Set([...entries, ...imported])].sort(), files.sort())
})

test('every element that a script looks for is on the page', () => {
  const parts = scripts.flatMap(({ text }) => all(text, /\bpart\([^,()]+(?:\(\))?, '([a-z-]+)'\)/g))
  const templates = scripts.flatMap(({ text }) => all(text, /fromTemplate\('([a-z]+)'\)/g))
  assert.ok(parts.length > 20 && templates.length > 3)
  for (const name of parts) assert.match(page, new RegExp(`\\sdata-${name}(?=[\\s=>])`))
  for (const id of templates) assert.ok(page.includes(`<template id="${id}">`), id)
})
