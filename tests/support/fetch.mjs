// An app in Node: reads a request a line from stdin, fetches it, and writes what came a line to stdout.
import { createInterface } from "node:readline";

async function fetched({ url, headers, body, leave }) {
  const abort = new AbortController();
  const init = { method: "POST", headers, body: JSON.stringify(body), signal: abort.signal };
  try {
    const response = await fetch(url, init);
    const decoder = new TextDecoder();
    let text = "";
    for await (const piece of response.body) {
      text += decoder.decode(piece, { stream: true });
      if (leave) abort.abort();
    }
    return { status: response.status, headers: Object.fromEntries(response.headers), text };
  } catch (error) {
    return { error: error.name, cause: error.cause?.code ?? "" };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  fetched(request).then((came) => console.log(JSON.stringify({ id: request.id, ...came })));
}
