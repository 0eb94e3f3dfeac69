/** A small streamed chat completion. */
import { filterObjects, objectOrEmpty, parseJsonObject } from '#lambdas/platform/json/json.ts';
import { isUuid } from '#lambdas/platform/uuid.ts';
import { CheckError, type Client, chatUrl, describeResponse, type Endpoint, errorCodeOf } from './client.ts';
import { type EventTimes, gapsOf, readEvents } from './event-times.ts';

const timeoutMs = 30_000;

/** Enough for the reasoning before a short response: OpenAI refuses a request whose reasoning exceeds its limit. */
const maxOutputTokens = 256;

/** Returns the id of the log entry. The model has its provider, such as `openai/gpt-4o-mini`. */
export async function streamCompletion(
  client: Client,
  endpoint: Endpoint,
  { model, onTimes }: { model: string; onTimes(times: EventTimes): void },
): Promise<string> {
  const response = await client.call({ url: chatUrl(endpoint), body: chatRequest(model), timeoutMs });
  if (response.status !== 200) throw new CheckError(`Expected 200, got ${describeResponse(response)}`);
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    throw new CheckError('Expected a stream of events, got a response of another content type');
  }
  const id = response.headers.get('x-gateway-request-id') ?? '';
  if (!isUuid(id)) throw new CheckError('Expected the id of the request in the header X-Gateway-Request-Id');
  const events = readEvents(response);
  onTimes(gapsOf(events));
  requireCompleteStream(events.map(({ data }) => data));
  return id;
}

function chatRequest(model: string) {
  return {
    model,
    stream: true,
    stream_options: { include_usage: true },
    max_completion_tokens: maxOutputTokens,
    messages: [{ role: 'user', content: 'Reply with the word OK.' }],
  };
}

function requireCompleteStream(events: readonly string[]): void {
  const chunks = filterObjects(events.map(parseJsonObject));
  const failed = chunks.find(({ error }) => error !== undefined);
  if (failed !== undefined) {
    throw new CheckError(`The stream ended with the error ${errorCodeOf(failed) ?? 'without a code'}`);
  }
  if (events.at(-1) !== '[DONE]') {
    throw new CheckError(`Expected a stream that ends with [DONE], got ${events.length} events without it`);
  }
  if (!chunks.some(({ usage }) => Number(objectOrEmpty(usage).total_tokens) > 0)) {
    throw new CheckError('Expected a chunk with the usage, which the request asked for');
  }
}
