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
