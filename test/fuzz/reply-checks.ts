/** What holds of every answer of the gateway, whatever was asked and whatever the provider said. */
import { isJsonObject, parseJson } from '#lambdas/platform/json/json.ts';
import { errorProblems } from '../support/openai-schema/openai-schema.ts';
import { eventData } from '../support/providers/sse-events.ts';
import type { FuzzReply } from './fuzz-gateway.ts';

/** What is wrong with it; empty when nothing is. */
export function replyProblems(reply: FuzzReply): string[] {
  return [
    ...shapeProblems(reply),
    ...secretProblems(reply),
    ...reply.lines.flatMap(lineProblems),
    ...headerProblems(reply),
    ...(Object.keys(Object.prototype).length > 0 ? ['the prototype of all objects has changed'] : []),
  ];
}

/** Every request with a valid key has one entry, which says what the caller was told. */
export function entryProblems({ entries, status, headers }: FuzzReply): string[] {
  const [entry] = entries;
  if (entry === undefined || entries.length > 1) return [`${entries.length} entries`];
  return [
    ...(entry.status === status ? [] : [`an entry with status ${entry.status} for an answer of ${status}`]),
    ...(entry.id === headers['x-gateway-request-id'] ? [] : ['an entry of another id']),
  ];
}

function shapeProblems({ status, headers, text, sent }: FuzzReply): string[] {
  if (status >= 400 && status <= 599) return errorProblems(parseJson(text));
  if (status !== 200) return [`status ${status}`];
  const { 'content-type': contentType } = headers;
  if (contentType === 'application/json') {
    return sent.length === 0 ? modelsProblems(parseJson(text)) : completionProblems(parseJson(text));
  }
  if (contentType !== 'text/event-stream; charset=utf-8') return [`content-type ${contentType}`];
  return streamProblems(eventData(text));
}

function modelsProblems(answer: unknown): string[] {
  return isJsonObject(answer) && (answer.object === 'list' || answer.object === 'model') ? [] : ['no models'];
}

/** What is inside of the choices is the provider's, and passes. */
function completionProblems(answer: unknown, object = 'chat.completion'): string[] {
  if (!isJsonObject(answer)) return ['is no object'];
  const { id, created, model, choices } = answer;
  const isWhole =
    answer.object === object &&
    typeof id === 'string' &&
    typeof created === 'number' &&
    typeof model === 'string' &&
    Array.isArray(choices);
  return isWhole ? [] : [`is no ${object}: ${JSON.stringify(answer)}`];
}

function streamProblems(events: string[]): string[] {
  const last = events.at(-1);
  const isError = (data: string) => isJsonObject(objectIn(data)?.error);
  return [
    ...events.flatMap((data, place) => {
      if (data === '[DONE]') return place === events.length - 1 ? [] : ['something follows [DONE]'];
      const chunk = objectIn(data);
      if (chunk === null) return matches(data) ? [] : [`is no object: ${data}`];
      if (!isError(data)) return completionProblems(chunk, 'chat.completion.chunk');
      return place === events.length - 1 ? errorProblems(objectIn(data)) : ['something follows an error'];
    }),
    ...(last !== undefined && (last === '[DONE]' || isError(last)) ? [] : ['the stream does not end']),
  ];
}

/** Of more of the same text only what is around it is looked at: a text that was damaged on the way passes as it is. */
function matches(data: string): boolean {
  return objectIn(data.replaceAll(/"(?:\\.|[^"\\])*"/gs, (text, at) => `"${at}${text.length}"`)) !== null;
}

function objectIn(data: string) {
  const value = parseJson(data);
  return isJsonObject(value) ? value : null;
}

/** A provider may say what it likes in an answer; no error and no line of ours repeats a prompt or a credential. */
function secretProblems({ status, headers, text, lines, entries, secrets }: FuzzReply): string[] {
  const lastEvent = status === 200 ? (eventData(text).at(-1) ?? '') : text;
  const told = status === 200 && !isJsonObject(objectIn(lastEvent)?.error) ? '' : lastEvent;
  // What a provider calls its model and its end is logged as it says it.
  const logged = entries.map((entry) => ({ ...entry, response_model: null, finish_reason: null }));
  const written = JSON.stringify([headers, told, lines, logged]);
  return secrets.filter((secret) => written.includes(secret)).map((secret) => `${secret} is told`);
}

function lineProblems(line: string): string[] {
  const read = parseJson(line);
  if (line.includes('\n') || !isJsonObject(read)) return ['a line of the log is no JSON'];
  return read.event === 'request_forwarded' ? [] : [`${line} was logged`];
}

function headerProblems({ headers }: FuzzReply): string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    known.has(name) && /^[\x20-\x7e]*$/.test(value) ? [] : [`the header ${name}: ${value}`],
  );
}

const known = new Set([
  'allow',
  'cache-control',
  'content-type',
  'retry-after',
  'www-authenticate',
  'x-gateway-ignored-parameters',
  'x-gateway-provider',
  'x-gateway-provider-request-id',
  'x-gateway-request-id',
]);
