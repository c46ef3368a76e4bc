/**
 * A seeded source of chance (sfc32, seeded by splitmix32): the same seed gives the same numbers, 0 <= x < 1.
 * For tests and the simulator, not for secrets.
 */
export function createRandom(seed: number): () => number {
  const next = splitmix32(seed)
  let [a, b, c, counter] = [next(), next(), next(), 1]
  const draw = () => {
    const t = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + t
    return (t >>> 0) / 2 ** 32
  }
  for (let i = 0; i < 12; i++) draw()
  return draw
}

function splitmix32(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x9e3779b9) | 0
    let t = state ^ (state >>> 16)
    t = Math.imul(t, 0x21f0aaad)
    t ^= t >>> 15
    t = Math.imul(t, 0x735a2d97)
    return t ^ (t >>> 15)
  }
}
