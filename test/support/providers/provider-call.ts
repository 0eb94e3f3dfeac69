/** Calls to a provider's protocol without a network: what goes out can be looked at, and what comes back be written. */
import { parseChatRequest } from '#lambdas/inference/chat-request.ts';
import { providerCatalog } from '#lambdas/inference/providers/catalog.ts';
import { readResponse } from '#lambdas/inference/providers/http/response.ts';
import {
  type CreateProtocol,
  createPrepare,
  type Prepare,
  type ProviderCall,
  type ProviderResponse,
  type StreamingResponse,
} from '#lambdas/inference/providers/provider.ts';
import { type JsonObject, objectOf, objectsIn, parseJsonObject } from '#lambdas/platform/json/json.ts';
import { exampleCaller } from '../aws-caller.ts';
import { assembleStream } from '../openai-schema/openai-assembly.ts';
import { readChunks } from '../read-chunks.ts';
import { eventData } from './sse-events.ts';

export const exampleRequestId = '019b7a4c-8c00-7d2e-9f3a-5b6c7d8e9f02';
const exampleReceivedAtMs = 1_795_132_800_000;

/** `request` as the caller sends it; its model needs no prefix here. */
export function providerCall(
  request: Record<string, unknown>,
  differences: Partial<Omit<ProviderCall, 'request'>> = {},
): ProviderCall {
  const body = { model: 'a-model', messages: [{ role: 'user', content: 'Hi' }], ...request };
  return {
    request: parseChatRequest(JSON.stringify(body)),
    model: String(body.model),
    apiKey: 'sk-1',
    callerHeaders: {},
    requestId: exampleRequestId,
    receivedAtMs: exampleReceivedAtMs,
    ...differences,
  };
}

export interface ScriptedResponse {
  status?: number;
  headers?: Record<string, string>;
  /** As the provider sends it: the pieces of a stream, or a value that is sent as JSON. */
  body?: readonly (Buffer | string)[] | object;
}

/** What the call sends, and what becomes of the reply. */
export async function exchange(prepare: Prepare, call: ProviderCall, scripted: ScriptedResponse = {}) {
  const prepared = await prepare(call);
  const httpReply = {
    status: scripted.status ?? 200,
    headers: headersOf(scripted),
    read: readChunks(bytesOf(scripted)),
  };
  const reply = await readResponse(prepared, httpReply, 1_000_000);
  return { outgoing: prepared.outgoing, ignoredParameters: prepared.ignoredParameters, reply };
}

/** The pieces in which the caller gets a stream. */
export async function translatedChunks({ read, reader }: StreamingResponse): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  await read((chunk) => {
    if (reader.facts.error === null) pieces.push(reader.push(chunk));
    return undefined;
  });
  return reader.facts.error === null ? [...pieces, reader.end()] : pieces;
}

function headersOf({ headers, body }: ScriptedResponse): Record<string, string> {
  const contentType = Array.isArray(body) ? 'text/event-stream' : 'application/json';
  return { 'content-type': contentType, ...headers };
}

async function* bytesOf({ body = {} }: ScriptedResponse): AsyncGenerator<Buffer> {
  const pieces = Array.isArray(body) ? body : [JSON.stringify(body)];
  for (const piece of pieces) yield Buffer.from(piece);
}

/** A call by the protocol of a provider of the catalog, and the JSON that it sends. */
export async function callProvider(
  create: CreateProtocol,
  { name, baseUrl }: { name: string; baseUrl: string },
  { call, reply }: { call: ProviderCall; reply?: ScriptedResponse | undefined },
) {
  const entry = providerCatalog[name];
  if (entry === undefined) throw new Error(`${name} is not in the catalog`);
  const prepare = createPrepare(() => create({ name, baseUrl, region: null, entry, aws: exampleCaller }));
  const exchanged = await exchange(prepare, call, reply);
  return { ...exchanged, body: JSON.parse(exchanged.outgoing.body) };
}

/** The completion that a whole answer becomes, as text; empty if there is a error instead. */
export async function readBody({ reply }: { reply: ProviderResponse }) {
  if (reply.kind !== 'completion') throw new Error(`Expected a completion, not a ${reply.kind}`);
  const { body, facts, error = null } = await reply.read();
  return { text: body.toString(), facts, error };
}

/** The chunks that a stream becomes, as text, as one completion, and the deltas of their first choices. */
export async function readStream({ reply }: { reply: ProviderResponse }) {
  if (reply.kind !== 'stream') throw new Error(`Expected a stream, not a ${reply.kind}`);
  const text = Buffer.concat(await translatedChunks(reply)).toString();
  const deltas = eventData(text).flatMap((data): JsonObject[] => {
    const [choice] = objectsIn(parseJsonObject(data)?.choices);
    return choice === undefined ? [] : [objectOf(choice.delta)];
  });
  return { text, deltas, assembled: assembleStream(text), facts: reply.reader.facts };
}
