/** A part of a completion: of its text, or of what the model thinks before. */
export interface CompletionDelta {
  kind: 'text' | 'reasoning';
  text: string;
}

/** The gateway reports a failure after the stream has begun as an event. The message is written for the user. */
export class CompletionError extends Error {
  override name = 'CompletionError';
}

/**
 * Yields the text of a streamed chat completion in OpenAI's format.
 *
 * @param events the data of each event
 * @throws CompletionError for an error event, and for a stream that ends without `[DONE]`
 */
export async function* readCompletion(events: AsyncIterable<string>): AsyncGenerator<CompletionDelta> {
  for await (const data of events) {
    if (data === '[DONE]') return;
    const chunk: Chunk = parseChunk(data);
    if (chunk.error) throw new CompletionError(chunk.error.message ?? 'The response ended with an error.');
    const delta = chunk.choices?.[0]?.delta;
    if (delta?.reasoning_content) yield { kind: 'reasoning', text: delta.reasoning_content };
    if (delta?.content) yield { kind: 'text', text: delta.content };
  }
  throw new CompletionError('The response ended early. Send the request again.');
}

/** The fields that are read here, none of which every chunk has. */
interface Chunk {
  error?: { message?: string };
  choices?: { delta?: { content?: string | null; reasoning_content?: string | null } }[];
}

function parseChunk(data: string): Chunk {
  try {
    return JSON.parse(data);
  } catch {
    throw new CompletionError('The response could not be read.');
  }
}

/**
 * Yields the data of each event as it arrives. Ends with the stream; an event that is cut off is dropped.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export async function* readServerSentEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  let data: string[] = [];
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      // A carriage return at the end may belong to a line feed that has not arrived.
      const lines = (rest + decoder.decode(value, { stream: true })).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (line.startsWith('data:')) data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
        if (line !== '' || data.length === 0) continue;
        yield data.join('\n');
        data = [];
      }
    }
  } finally {
    // Also when the consumer stops early.
    await reader.cancel();
  }
}
