/** Ten open pages: each listens, and asks for its page anew when something has changed. */
const url = process.argv[2] ?? "";
const PAGES = 10;

async function open(): Promise<void> {
  const answer = await fetch(`${url}/api/v1/events`);
  if (answer.body === null) throw new Error("no stream");
  process.send?.("listening");
  const decoder = new TextDecoder();
  const stream: ReadableStream<Uint8Array> = answer.body;
  for await (const bytes of stream) {
    if (!decoder.decode(bytes).includes("event: live")) continue;
    await (await fetch(`${url}/`)).text();
  }
}

await Promise.all(Array.from({ length: PAGES }, open)).catch(() => {});
