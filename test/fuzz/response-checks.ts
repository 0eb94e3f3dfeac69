import { isJsonObject, parseJson, parseJsonObject } from '#lambdas/platform/json/json.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { toPrintable } from '#lambdas/request-log/printable-text.ts';
import { errorProblems } from '../support/openai-schema/validate.ts';
import { eventData } from '../support/providers/sse-events.ts';
import type { FuzzResult } from './gateway.ts';

export function responseProblems(result: FuzzResult): string[] {
  return [
    ...shapeProblems(result),
    ...secretProblems(result),
    ...result.logLines.flatMap(lineProblems),
    ...headerProblems(result),
    ...(Object.keys(Object.prototype).length > 0 ? ['Object.prototype was changed'] : []),
  ];
}

/** Every request with a valid key has one entry and one completion line, which match the response. */
export function logEntryProblems({ entries, logLines, status, headers, text }: FuzzResult): string[] {
  const [entry] = entries;
  if (entry === undefined || entries.length > 1) return [`${entries.length} entries`];
  return [
    ...(entry.status === status ? [] : [`the entry has status ${entry.status}, the response ${status}`]),
    ...(entry.id === headers['x-gateway-request-id'] ? [] : ['the entry has another id']),
    ...(entry.id === headers['x-request-id'] ? [] : ['x-request-id is another id']),
    ...(entry.response_id === responseIdIn({ status, text }) ? [] : ['the entry has another response id']),
    ...completionLineProblems(entry, logLines),
  ];
}

/** The id that the caller sees, as a log entry keeps it. */
function responseIdIn({ status, text }: Pick<FuzzResult, 'status' | 'text'>): string | null {
  if (status !== 200) return null;
  const [first] = [text, ...eventData(text)].map(objectIn).filter((value) => value !== null);
  return first === undefined || isJsonObject(first.error)
    ? null
    : toPrintable(String(first.id).slice(0, 128));
}

function completionLineProblems({ id }: LogEntry, logLines: string[]): string[] {
  const ids = logLines
    .map(parseJsonObject)
    .flatMap((line) => (line?.event === 'request_completed' ? [line.log_id] : []));
  return ids.length === 1 && ids[0] === id ? [] : [`completion lines of ${JSON.stringify(ids)}`];
}

function shapeProblems({ status, headers, text, sent }: FuzzResult): string[] {
  if (status >= 400 && status <= 599) return errorProblems(parseJson(text));
  if (status !== 200) return [`status ${status}`];
  const { 'content-type': contentType } = headers;
  if (contentType === 'application/json') {
    return sent.length === 0 ? modelsProblems(parseJson(text)) : completionProblems(parseJson(text));
  }
  if (contentType !== 'text/event-stream; charset=utf-8') return [`content-type ${contentType}`];
  return streamProblems(eventData(text));
}

function modelsProblems(body: unknown): string[] {
  return isJsonObject(body) && (body.object === 'list' || body.object === 'model')
    ? []
    : ['is neither a model nor a list of models'];
}

/** The contents of choices are the provider's and pass unchecked. */
function completionProblems(body: unknown, object = 'chat.completion'): string[] {
  if (!isJsonObject(body)) return ['is not an object'];
  const { id, created, model, choices } = body;
  const isComplete =
    body.object === object &&
    typeof id === 'string' &&
    typeof created === 'number' &&
    typeof model === 'string' &&
    Array.isArray(choices);
  return isComplete ? [] : [`is not a ${object}: ${JSON.stringify(body)}`];
}

function streamProblems(events: string[]): string[] {
  const last = events.at(-1);
  const isError = (data: string) => isJsonObject(objectIn(data)?.error);
  return [
    ...events.flatMap((data, place) => {
      if (data === '[DONE]') return place === events.length - 1 ? [] : ['something follows [DONE]'];
      const chunk = objectIn(data);
      if (chunk === null) return isJsonApartFromStrings(data) ? [] : [`is not an object: ${data}`];
      if (!isError(data)) return completionProblems(chunk, 'chat.completion.chunk');
      return place === events.length - 1 ? errorProblems(objectIn(data)) : ['something follows an error'];
    }),
    ...(last !== undefined && (last === '[DONE]' || isError(last))
      ? []
      : ['the stream ends without [DONE] or an error']),
  ];
}

/** Deltas of text are not parsed and may contain malformed strings, so only the JSON around the strings is checked. */
function isJsonApartFromStrings(data: string): boolean {
  return objectIn(data.replaceAll(/"(?:\\.|[^"\\])*"/gs, (text, at) => `"${at}${text.length}"`)) !== null;
}

function objectIn(data: string) {
  const value = parseJson(data);
  return isJsonObject(value) ? value : null;
}

/** No error and no log line of the gateway repeats a prompt or a credential. A provider's completion may. */
function secretProblems({ status, headers, text, logLines, entries, secrets }: FuzzResult): string[] {
  const lastEvent = status === 200 ? (eventData(text).at(-1) ?? '') : text;
  const error = status === 200 && !isJsonObject(objectIn(lastEvent)?.error) ? '' : lastEvent;
  // The model name and the finish reason are logged as the provider returns them.
  const withoutProviderTexts = (entry: object) => ({ ...entry, response_model: null, finish_reason: null });
  const lines = logLines.map((line) => {
    const { entry, ...fields } = parseJsonObject(line) ?? {};
    return isJsonObject(entry) ? [fields, withoutProviderTexts(entry)] : line;
  });
  const written = JSON.stringify([headers, error, lines, entries.map(withoutProviderTexts)]);
  return secrets.filter((secret) => written.includes(secret)).map((secret) => `${secret} was disclosed`);
}

function lineProblems(line: string): string[] {
  const read = parseJson(line);
  if (line.includes('\n') || !isJsonObject(read)) return ['a log line is not JSON'];
  return expectedEvents.has(read.event) ? [] : [`unexpected log line ${line}`];
}

const expectedEvents = new Set<unknown>([
  'request_forwarded',
  'request_completed',
  'request_rejected',
  'key_rejected',
]);

function headerProblems({ headers }: FuzzResult): string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    knownHeaders.has(name) && /^[\x20-\x7e]*$/.test(value) ? [] : [`unexpected header ${name}: ${value}`],
  );
}

const knownHeaders = new Set([
  'allow',
  'cache-control',
  'content-type',
  'retry-after',
  'retry-after-ms',
  'www-authenticate',
  'x-gateway-ignored-parameters',
  'x-gateway-provider',
  'x-gateway-provider-request-id',
  'x-gateway-request-id',
  'x-request-id',
]);
