// npm run test:load [-- part/of/a/path ...]: the cases of e2e/load at their full size, or FANWISE_TEST_LOAD times it.
process.env.FANWISE_TEST_LOAD ??= '1'
if (process.argv.length === 2) process.argv.push('e2e/load')
await import('./test.ts')
