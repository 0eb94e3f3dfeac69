/**
 * Reads responses of the Responses API for callers who use it themselves. Loaded while the provider works.
 * https://platform.openai.com/docs/api-reference/responses-streaming
 */
import { findErrorInBody } from '#lambdas/inference/providers/errors.ts';
import { type EventReader, endsWith, startsWith } from '#lambdas/inference/providers/native/event-stream.ts';
import type { NativeContext } from '#lambdas/inference/providers/native/origin.ts';
import { createNativeReaders } from '#lambdas/inference/providers/native/responses.ts';
import { emptyResponseError } from '#lambdas/inference/providers/translation/response-reader.ts';
import type { GatewayError } from '#lambdas/platform/errors.ts';
import { type JsonObject, objectOrEmpty, stringOrEmpty } from '#lambdas/platform/json/json.ts';
import { readFailedResponse, readNativeError, readSentError, readStatedError } from './errors.ts';
import { createFactsReader, isResponse } from './facts.ts';

export const createResponsesReaders = createNativeReaders({
  readError: readNativeError,
  readWhole(response, text, context) {
    const { origin, facts } = context;
    if (!isResponse(response)) {
      const isError = findErrorInBody(response, origin) !== null;
      throw isError ? readStatedError(response, text, origin) : emptyResponseError(origin.provider);
    }
    createFactsReader(context).readFinal(response);
    // Like any other response, a failed one is sent to the caller, with what it cost.
    facts.error = readFailedResponse(response, origin);
  },
  createEventReader: createResponseEventReader,
});

const noBytes = Buffer.alloc(0);

const finalTypes: readonly string[] = [
  'response.completed',
  'response.incomplete',
  'response.failed',
  'response.cancelled',
];

function createResponseEventReader(context: NativeContext): EventReader {
  const { origin, facts } = context;
  const reader = createFactsReader(context);
  /** The error of an `error` event, after which OpenAI sends `response.failed`. */
  let stated: GatewayError | null = null;
  let hasFinal = false;

  const readError = (data: JsonObject, text: string): boolean => {
    if (!facts.started) throw readStatedError(data, text, origin);
    stated ??= readSentError(data, origin);
    // Nothing but the failed response can follow.
    facts.finished = true;
    return true;
  };
  const end = (): void => {
    if (!facts.finished) return;
    facts.error = stated;
    facts.ended = stated === null;
  };
  return {
    isDelta: (event) => !hasFinal && isDelta(event),
    read(data, text, eventType) {
      // Nothing of the response can follow.
      if (hasFinal) return false;
      const type = stringOrEmpty(data.type) || eventType;
      if (isErrorEvent(type, data)) return readError(data, text);
      facts.started = true;
      if (!finalTypes.includes(type)) {
        reader.readEvent(type, data);
        return true;
      }
      hasFinal = true;
      const response = objectOrEmpty(data.response);
      reader.readFinal(response);
      facts.finished = true;
      const failure = type === 'response.failed' ? { ...response, status: 'failed' } : response;
      facts.error = stated ?? readFailedResponse(failure, origin);
      return true;
    },
    // Servers send it that end their chat completions with it.
    done() {
      end();
      return facts.finished;
    },
    end() {
      end();
      return noBytes;
    },
  };
}

/** Some servers send an error without a type, as in their other streams. */
function isErrorEvent(type: string, data: JsonObject): boolean {
  if (type.startsWith('response.')) return false;
  return type === 'error' || findErrorInBody(data, { provider: '', model: '' }) !== null;
}

const lineFeed = 0x0a;
const quote = 0x22;
const eventField = Buffer.from('event: response.');
const dataField = Buffer.from('data: {"type":"response.');
const deltaName = Buffer.from('.delta');
const deltaEnd = Buffer.from('}\n\n');

/** With the field `event`, as OpenAI sends it, or without. */
function isDelta(event: Buffer): boolean {
  if (!endsWith(event, deltaEnd)) return false;
  const dataStart = startsWith(event, eventField) ? event.indexOf(lineFeed) + 1 : 0;
  const typeStart = dataStart + dataField.length;
  if (typeStart > event.length || dataField.compare(event, dataStart, typeStart) !== 0) return false;
  const typeEnd = event.indexOf(quote, typeStart);
  return typeEnd !== -1 && deltaName.compare(event, typeEnd - deltaName.length, typeEnd) === 0;
}
