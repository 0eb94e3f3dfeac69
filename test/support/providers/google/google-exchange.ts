/** Exchanges with Google's protocol without a network, and what the API would say to the request. */

import { providerCatalog } from '#lambdas/inference/providers/catalog.ts';
import { createGoogleProtocol } from '#lambdas/inference/providers/google/protocol.ts';
import { isJsonObject, type JsonObject, parseJsonObject } from '#lambdas/platform/json/json.ts';
import { exampleCaller } from '#test/support/aws-caller.ts';
import { assembleStream } from '#test/support/openai-schema/openai-assembly.ts';
import { exchange, providerCall, type ScriptedReply, translatedPieces } from '../provider-call.ts';
import { eventData } from '../sse-events.ts';
import { generateContentRequest, wordsOf } from './generate-content.ts';
import { refusalOf } from './generate-rules.ts';

interface Circumstances {
  reply?: ScriptedReply;
  apiKey?: string | null;
  callerHeaders?: Record<string, string>;
}

/** `request` in OpenAI's format; its model needs no prefix. */
export async function askGoogle(
  request: Record<string, unknown>,
  { reply, apiKey = 'sk-1', callerHeaders = {} }: Circumstances = {},
) {
  const { google: entry } = providerCatalog;
  if (entry === undefined) throw new Error('Google is not in the catalog');
  const baseUrl = 'https://generativelanguage.googleapis.com/v1beta';
  const prepare = createGoogleProtocol({ name: 'google', baseUrl, region: null, entry, aws: exampleCaller });
  const call = providerCall({ model: 'gemini-3.5-flash', ...request }, { apiKey, callerHeaders });
  const exchanged = await exchange(prepare, call, reply);
  const body: JsonObject = JSON.parse(exchanged.outgoing.body);
  return { ...exchanged, body };
}

/** What Google is sent, which the API would take. */
export async function acceptedBody(request: Record<string, unknown>): Promise<JsonObject> {
  const { body } = await askGoogle(request);
  const { data, error } = generateContentRequest.safeParse(body);
  const model = typeof request.model === 'string' ? request.model : 'gemini-3.5-flash';
  const refusal = error === undefined ? refusalOf(data, model) : wordsOf(error);
  if (refusal !== null) throw new Error(`The API refuses this: ${refusal}`);
  return body;
}

/** What becomes of a whole answer: an object, or its text where numbers have digits of their own. */
export async function wholeAnswer(response: object | string) {
  const text = typeof response === 'string' ? response : JSON.stringify(response);
  const headers = { 'content-type': 'application/json; charset=UTF-8' };
  const { reply } = await askGoogle({}, { reply: { body: [text], headers } });
  if (reply.kind !== 'completion') throw new Error(`Expected an answer, not a ${reply.kind}`);
  const { body, facts, problem = null } = await reply.read();
  return { answer: parseJsonObject(body.toString()), facts, problem };
}

/** As the API sends it. */
export function googleEvent(response: object): Buffer {
  return Buffer.from(`data: ${JSON.stringify(response)}\r\n\r\n`);
}

/** What becomes of a streamed answer: its chunks, or the bytes in which they come. */
export async function streamedAnswer(chunks: readonly object[] | readonly Buffer[]) {
  const body = chunks.map((chunk) => (Buffer.isBuffer(chunk) ? chunk : googleEvent(chunk)));
  const request = { stream: true, stream_options: { include_usage: true } };
  const { reply } = await askGoogle(request, { reply: { body } });
  if (reply.kind !== 'stream') throw new Error(`Expected a stream, not a ${reply.kind}`);
  const written = await translatedPieces(reply);
  const text = Buffer.concat(written).toString();
  return { text, deltas: deltasIn(text), assembled: assembleStream(text), facts: reply.reader.facts };
}

/** Of the first choice. */
function deltasIn(text: string): JsonObject[] {
  const chunks = eventData(text).map(parseJsonObject);
  return chunks.flatMap((chunk) => {
    const [choice]: unknown[] = Array.isArray(chunk?.choices) ? chunk.choices : [];
    return isJsonObject(choice) && isJsonObject(choice.delta) ? [choice.delta] : [];
  });
}
