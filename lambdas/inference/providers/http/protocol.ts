/** A protocol over plain HTTP: one request, answered by a whole body or by a stream of events. */
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { Answer, Connection, Prepare, ProviderCall, ProviderReply, StreamFacts } from '../provider.ts';
import {
  type HttpReply,
  type OutgoingRequest,
  type ReplyHeaders,
  readWhole,
  type TakePiece,
} from './client.ts';
import { requestIdOf, retryWaitMs } from './headers.ts';
export interface HttpProtocol {
  /** Throws a `GatewayError` (400) that names what the provider cannot be asked for. */
  writeRequest(call: ProviderCall): WrittenRequest | Promise<WrittenRequest>;
  /** Those that may carry the provider's own id of the request, best first. */
  requestIdHeaders: readonly string[];
  /** Reads an answer with a status outside 2xx. */
  readError(reply: ErrorReply, call: ProviderCall): GatewayError;
  /** Reads a whole answer with a status of 2xx. Throws a `GatewayError` when it holds none. */
  readAnswer(body: Buffer, call: ProviderCall): Answer;
  /** Reads a streamed answer with a status of 2xx. */
  createStreamReader(call: ProviderCall): StreamReader;
}

export interface WrittenRequest {
  outgoing: OutgoingRequest;
  /** As in `PreparedRequest`. */
  ignoredParameters: readonly string[];
}

export interface ErrorReply {
  status: number;
  headers: ReplyHeaders;
  body: Buffer;
}

/** Turns a provider's stream into OpenAI's, and reads what the log needs on the way. */
export interface StreamReader {
  /** The bytes for the caller that this chunk completes; empty while there are none. */
  push(chunk: Buffer): Buffer;
  /** The bytes for the caller that are left when the provider's stream has ended. */
  end(): Buffer;
  readonly facts: StreamFacts;
}

export function createHttpPrepare(protocol: HttpProtocol): Prepare {
  return async (call) => {
    const { outgoing, ignoredParameters } = await protocol.writeRequest(call);
    return {
      ignoredParameters,
      async send(connection) {
        const reply = await connection.transport(outgoing, connection.watch);
        return readReply({ protocol, call, connection, reply });
      },
    };
  };
}

interface Exchange {
  protocol: HttpProtocol;
  call: ProviderCall;
  connection: Connection;
  reply: HttpReply;
}

async function readReply(exchange: Exchange): Promise<ProviderReply> {
  const { protocol, call, connection, reply } = exchange;
  const { status, headers } = reply;
  const requestId = requestIdOf(headers, protocol.requestIdHeaders);
  const { apiKey } = call;
  if (status < 200 || status > 299) {
    const body = await readErrorBody(reply, Math.min(connection.answerBytes, largestErrorBytes));
    const error = toldError(protocol.readError({ status, headers, body }, call), apiKey);
    return { requestId, kind: 'refusal', error, retryAfterMs: retryWaitMs({ status, headers, error }) };
  }
  if (!isEventStream(headers, call)) return { requestId, kind: 'answer', read: () => readAnswer(exchange) };
  const reader = protocol.createStreamReader(call);
  const read = (take: TakePiece) => translate({ reply, reader, connection, apiKey }, take);
  return { requestId, kind: 'stream', read, facts: reader.facts };
}

async function readAnswer({ protocol, call, connection, reply }: Exchange): Promise<Answer> {
  const body = await readWhole(reply, connection.answerBytes);
  try {
    const { problem = null, ...answer } = protocol.readAnswer(body, call);
    return problem === null ? answer : { ...answer, problem: toldError(problem, call.apiKey) };
  } catch (error) {
    throw error instanceof GatewayError ? toldError(error, call.apiKey) : error;
  }
}

/** No error has that much to say. */
const largestErrorBytes = 1024 * 1024;

/** Empty when it cannot be read: the status and the headers say most, and are not lost with it. */
async function readErrorBody(reply: HttpReply, largestBytes: number): Promise<Buffer> {
  try {
    return await readWhole(reply, largestBytes);
  } catch (error) {
    if (error instanceof GatewayError) return Buffer.alloc(0);
    throw error;
  }
}

const eventStream = /^(text\/event-stream|application\/vnd\.amazon\.eventstream)\b/i;

/** What the provider says it sends counts, not what was asked for. */
function isEventStream(headers: ReplyHeaders, { request }: ProviderCall): boolean {
  const contentType = headers['content-type'];
  return contentType === undefined ? request.stream : eventStream.test(contentType);
}

interface Translation {
  reply: HttpReply;
  reader: StreamReader;
  connection: Connection;
  apiKey: string | null;
}

/** Reads to the end even when the stream has said that it is over: only then the connection can be kept. */
async function translate(translation: Translation, take: TakePiece): Promise<void> {
  const { reply, reader, connection, apiKey } = translation;
  const { facts } = reader;
  let isOut = false;
  const pass = (bytes: Buffer) => {
    if (facts.problem !== null) facts.problem = toldError(facts.problem, apiKey);
    return take(bytes);
  };
  try {
    await reply.read((chunk) => {
      const taken = pass(reader.push(chunk));
      if (facts.problem !== null) return endWith(taken);
      if (facts.ended && !isOut) {
        isOut = true;
        connection.watch.finishWithin({ milliseconds: connection.lingerMs });
      }
      return taken;
    });
  } catch (error) {
    if (error instanceof Enough) return;
    // The caller has the whole answer.
    if (!isOut) throw error;
  }
  await pass(reader.end());
}

/** What comes after an error inside a stream is not read. */
class Enough extends Error {}

async function endWith(taken: Promise<void> | undefined): Promise<never> {
  await taken;
  throw new Enough();
}

// A provider's error as it may be told: without the gateway's credential, and no longer than a message should be.

const longestMessage = 2000;
const longestName = 100;

/** The credential is struck out before the text is cut: half of it would still be half of it. */
export function toldError(error: GatewayError, apiKey: string | null): GatewayError {
  const tell = (text: string, longest: number) => strikeOut(text, apiKey).slice(0, longest);
  const { param, providerCode, status, headers } = error;
  return new GatewayError(error.code, {
    message: tell(error.message, longestMessage),
    status,
    headers,
    ...(param !== null && { param: tell(param, longestName) }),
    ...(providerCode !== null && { providerCode: tell(providerCode, longestName) }),
  });
}

function strikeOut(text: string, secret: string | null): string {
  return secret === null || secret === '' ? text : text.replaceAll(secret, '*'.repeat(secret.length));
}
