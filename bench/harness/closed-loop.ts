/** `width` workers that each begin the next one when theirs has ended. Returns how many a second were done. */
export async function closedLoop(
  width: number,
  count: number,
  act: (index: number) => Promise<unknown>
): Promise<number> {
  let next = 0
  const start = performance.now()
  const worker = async () => {
    while (next < count) await act(next++)
  }
  await Promise.all(Array.from({ length: width }, worker))
  return (count * 1000) / (performance.now() - start)
}
