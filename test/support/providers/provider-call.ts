/** Calls a provider's protocol without a network: exposes the outgoing request and reads a scripted response. */

import { type ChatCall, expectedResult, parseChatRequest } from '#lambdas/inference/chat/body.ts';
import { readChatCompletion } from '#lambdas/inference/chat/request/request.ts';
import { createChatWriter } from '#lambdas/inference/chat/response/writer.ts';
import {
  type ReaderFacts,
  type ResponseFacts,
  startReaderFacts,
} from '#lambdas/inference/completion/facts.ts';
import type { CompletionRequest } from '#lambdas/inference/completion/request.ts';
import type { CompletionWriter } from '#lambdas/inference/completion/sink.ts';
import { providerCatalog } from '#lambdas/inference/providers/catalog.ts';
import { readResponse } from '#lambdas/inference/providers/http/response.ts';
import {
  type CreateProtocol,
  type CreateWriter,
  createPrepare,
  type Prepare,
  type PreparedRequest,
  type ProviderCall,
  type ProviderResponse,
  type SuccessfulResponse,
} from '#lambdas/inference/providers/provider.ts';
import {
  filterObjects,
  type JsonObject,
  objectOrEmpty,
  parseJsonObject,
} from '#lambdas/platform/json/json.ts';
import { exampleClientOptions } from '../aws/client-options.ts';
import { readChunks } from '../http/read-chunks.ts';
import { assembleStream } from '../openai-schema/assemble-stream.ts';
import { eventData } from './sse-events.ts';

export const exampleRequestId = '019b7a4c-8c00-7d2e-9f3a-5b6c7d8e9f02';
const exampleReceivedAtMs = 1_795_132_800_000;

/** `request` is the caller's body; its model needs no provider prefix. */
export function providerCall(
  request: Record<string, unknown>,
  overrides: Partial<Omit<ProviderCall, 'request'>> = {},
): ChatCall {
  const body = { model: 'a-model', messages: [{ role: 'user', content: 'Hi' }], ...request };
  return {
    request: parseChatRequest(JSON.stringify(body)),
    provider: 'some',
    model: String(body.model),
    apiKey: 'sk-1',
    callerHeaders: {},
    requestId: exampleRequestId,
    receivedAtMs: exampleReceivedAtMs,
    now: () => new Date(exampleReceivedAtMs),
    ...overrides,
  };
}

/** Reads a caller's body, whose model needs no provider prefix, into the neutral form. */
export function readRequest(request: Record<string, unknown>): CompletionRequest {
  return readChatCompletion(providerCall(request).request);
}

/** The writer of responses to a caller of chat completions. */
export function chatWriter({ request: { stream, includeUsage, body } }: ChatCall): CreateWriter {
  return createChatWriter({ stream, includeUsage, expected: expectedResult(body) });
}

/** Starts the response to a caller of chat completions. */
export function startChatWriter(request: Record<string, unknown> = {}): CompletionWriter {
  const call = providerCall(request);
  return chatWriter(call)(call, startReaderFacts());
}

export interface ScriptedResponse {
  status?: number;
  headers?: Record<string, string>;
  /** The chunks of a stream, or a value to send as JSON. */
  body?: readonly (Buffer | string)[] | object;
}

export async function exchange(prepare: Prepare, call: ProviderCall, scripted: ScriptedResponse = {}) {
  const prepared = await prepare(call);
  const response = await respondTo(prepared, scripted);
  const { outgoing, ignoredParameters, outputLimit } = prepared;
  return { outgoing, ignoredParameters, outputLimit: outputLimit(), response };
}

export function respondTo(prepared: PreparedRequest, scripted: ScriptedResponse): Promise<ProviderResponse> {
  return readResponse(prepared, {
    status: scripted.status ?? 200,
    headers: buildHeaders(scripted),
    read: readChunks(toChunks(scripted)),
  });
}

export async function translatedChunks({ read, reader }: SuccessfulResponse): Promise<Buffer[]> {
  const chunks: Buffer[] = [];
  await read((chunk) => {
    if (reader.facts.error === null) chunks.push(reader.push(chunk));
    return undefined;
  });
  return reader.facts.error === null ? [...chunks, reader.end()] : chunks;
}

function buildHeaders({ headers, body }: ScriptedResponse): Record<string, string> {
  const contentType = Array.isArray(body) ? 'text/event-stream' : 'application/json';
  return { 'content-type': contentType, ...headers };
}

async function* toChunks({ body = {} }: ScriptedResponse): AsyncGenerator<Buffer> {
  const chunks = Array.isArray(body) ? body : [JSON.stringify(body)];
  for (const chunk of chunks) yield Buffer.from(chunk);
}

export async function callProvider(
  create: CreateProtocol,
  { name, baseUrl }: { name: string; baseUrl: string },
  { call, response }: { call: ProviderCall; response?: ScriptedResponse | undefined },
) {
  const entry = providerCatalog[name];
  if (entry === undefined) throw new Error(`${name} is not in the catalog`);
  const prepare = createPrepare(() =>
    create({
      name,
      baseUrl,
      region: null,
      path: entry.operations['chat.completions']?.path ?? null,
      entry,
      aws: exampleClientOptions,
    }),
  );
  const result = await exchange(prepare, call, response);
  return { ...result, body: JSON.parse(result.outgoing.body) };
}

/** `text` is the JSON of the completion, empty on an error. */
export async function readBody({ response }: { response: ProviderResponse }) {
  const { text, facts } = await readSuccess(response);
  return { text, facts: responseFacts(facts), error: facts.error };
}

/** `deltas` contains the first delta of each chunk. */
export async function readStream({ response }: { response: ProviderResponse }) {
  const { text, facts } = await readSuccess(response);
  const deltas = eventData(text).flatMap((data): JsonObject[] => {
    const [choice] = filterObjects(parseJsonObject(data)?.choices);
    return choice === undefined ? [] : [objectOrEmpty(choice.delta)];
  });
  return { text, deltas, assembled: assembleStream(text), facts };
}

async function readSuccess(response: ProviderResponse): Promise<{ text: string; facts: ReaderFacts }> {
  if (response.kind !== 'success') throw new Error(`Expected a success, not a ${response.kind}`);
  const text = Buffer.concat(await translatedChunks(response)).toString();
  return { text, facts: response.reader.facts };
}

/** Without the facts about the progress of reading. */
export function responseFacts(facts: ReaderFacts): ResponseFacts {
  const { started: _, finished: __, ended: ___, error: ____, unitCounts: _____, textBytes, ...rest } = facts;
  return rest;
}
