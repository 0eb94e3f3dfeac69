/** The results of providers, with the names of the rows in `docs/providers/translation.md`, and where a caller finds them. */
import { createChatWriter } from '#lambdas/inference/chat/response/writer.ts';
import type { Payload } from '#lambdas/inference/completion/conversation.ts';
import { startReaderFacts } from '#lambdas/inference/completion/facts.ts';
import type { ChoiceSink, CompletionWriter } from '#lambdas/inference/completion/sink.ts';
import { createMessagesWriter } from '#lambdas/inference/messages/response/writer.ts';
import type { CreateWriter } from '#lambdas/inference/providers/provider.ts';
import { createResponsesWriter } from '#lambdas/inference/responses/response/writer.ts';
import { isJsonObject, parseJsonObject } from '#lambdas/platform/json/json.ts';
import { noUsage } from '#lambdas/pricing/usage.ts';
import { providerCall } from '../providers/provider-call.ts';

interface Result {
  write(choice: ChoiceSink, writer: CompletionWriter): void;
  /** The text or number by which the result is found; `null` for a reason, which is always shown. */
  marker: string | number | null;
  /** The provider's word. Default: `stop`. */
  finish?: string;
}

const payload = (format: Payload['format'], kind: Payload['kind'] = 'signature'): Payload => ({
  format,
  kind,
  data: 'marker',
});
const call = (choice: ChoiceSink, name: string, json: string, data: Payload | null = null) =>
  choice.toolCall({ id: 'call_1', name, payload: data }).arguments(json);

const shown = (write: Result['write'], marker: Result['marker'] = 'marker'): Result => ({ write, marker });
const called = (write: Result['write']): Result => ({ write, marker: 'marker', finish: 'tool_calls' });
const ended = (finish: string, write: Result['write'] = (choice) => choice.text('Hi')): Result => ({
  write,
  marker: null,
  finish,
});

export const results: Readonly<Record<string, Result>> = {
  text: shown((choice) => choice.text('marker')),
  reasoning: shown((choice) => {
    choice.reasoning('marker');
    choice.text('Hi');
  }),
  "Claude's signature of reasoning": shown((choice) => {
    choice.reasoning('Hm');
    choice.signature(payload('anthropic'));
    choice.text('Hi');
  }),
  "Claude's redacted reasoning": shown((choice) => {
    choice.signature(payload('anthropic', 'redacted'));
    choice.text('Hi');
  }),
  "Gemini's signature of a text that a call follows": called((choice) => {
    choice.text('Hi');
    choice.signature(payload('google'));
    call(choice, 'look', '{}');
  }),
  "Gemini's signature of the last text": shown((choice) => {
    choice.text('Hi');
    choice.signature(payload('google'));
  }),
  "Gemini's signature of a call": called((choice) => call(choice, 'look', '{}', payload('google'))),
  refusal: shown((choice) => choice.refusal('marker')),
  'call of a tool': called((choice) => call(choice, 'marker', '{}')),
  'call whose arguments are no JSON object': called((choice) => call(choice, 'look', '"marker"')),
  image: shown((choice) => choice.media({ mediaType: 'image/png', data: 'marker' })),
  audio: shown((choice) => choice.audio({ data: 'markerAA' })),
  'log probabilities': shown((choice) => {
    choice.text('Hi');
    choice.logprobs({ content: [{ token: 'marker' }] });
  }),
  "field of a server with OpenAI's format": shown((choice) => {
    choice.text('Hi');
    choice.extra({ annotations: [{ title: 'marker' }] });
  }),
  'second choice': shown((choice, writer) => {
    choice.text('Hi');
    const second = writer.choice(1);
    second.text('marker');
    second.finish('stop');
  }),
  'input tokens': shown((choice, writer) => {
    choice.text('Hi');
    writer.billing({ usage: { ...noUsage, freshInputTokens: 77 } });
  }, 77),
  'tokens read from a cache': shown((choice, writer) => {
    choice.text('Hi');
    writer.billing({ usage: { ...noUsage, freshInputTokens: 1, cachedInputTokens: 77 } });
  }, 77),
  'tokens written to a cache': shown((choice, writer) => {
    choice.text('Hi');
    writer.billing({ usage: { ...noUsage, freshInputTokens: 1, cacheWriteInputTokens: 77 } });
  }, 77),
  'tokens of reasoning': shown((choice, writer) => {
    choice.text('Hi');
    writer.billing({ usage: { ...noUsage, freshInputTokens: 1, outputTokens: 99, reasoningTokens: 77 } });
  }, 77),
  'end of the text': ended('stop'),
  'stop sequence': ended('stop', (choice) => {
    choice.text('Hi');
    choice.stopSequence('END');
  }),
  'text of the stop sequence': shown((choice) => {
    choice.text('Hi');
    choice.stopSequence('marker');
  }),
  'end after calls': ended('tool_calls', (choice) => call(choice, 'look', '{}')),
  'limit of the output': ended('length'),
  'full context': ended('model_context_window_exceeded'),
  'filter of the provider': ended('content_filter'),
  'end after a refusal': ended('stop', (choice) => choice.refusal('No')),
};

const messagesWriter = createMessagesWriter({
  stream: false,
  stopSequences: ['END', 'marker'],
  estimateInputTokens: () => 0,
});
const chatWriter = createChatWriter({
  stream: false,
  includeUsage: false,
  expected: { choices: 2, choosesFunction: false },
});

const responsesWriter = createResponsesWriter({
  stream: false,
  body: {},
  customTools: [],
  estimateInputTokens: () => 0,
  onRenderer() {},
});

/** By the headings of the columns. */
export const callerFormats: Readonly<Record<string, CreateWriter>> = {
  'Chat completion': chatWriter,
  Message: messagesWriter,
  Response: responsesWriter,
};

/** The path of the result in the whole response, or the word of the reason; `error` or `not shown`. */
export function placeOf({ write, marker, finish = 'stop' }: Result, createWriter: CreateWriter): string {
  const writer = createWriter(providerCall({}), startReaderFacts());
  const choice = writer.choice(0);
  writer.billing({ usage: { ...noUsage, freshInputTokens: 1, outputTokens: 1 } });
  write(choice, writer);
  choice.finish(finish);
  writer.end();
  if (writer.facts.error !== null) return 'error';
  const body = parseJsonObject(writer.take().toString());
  const isFound = (value: unknown, path: string) =>
    marker === null ? reasonPath.test(path) : isMarker(value, marker);
  const places = leavesOf(body).filter(({ value, path }) => isFound(value, path));
  const place = marker === null ? places.at(-1) : places[0];
  if (place === undefined) return 'not shown';
  return marker === null ? String(place.value) : place.path;
}

/** The last one is the most precise. */
const reasonPath = /\b(finish|stop)_reason$|^status$|^incomplete_details\.reason$/;

/** The data of a provider can be inside of a signature. */
function isMarker(value: unknown, marker: string | number): boolean {
  return typeof value === 'string' && typeof marker === 'string' ? value.includes(marker) : value === marker;
}

function leavesOf(value: unknown, path = ''): { value: unknown; path: string }[] {
  if (Array.isArray(value)) return value.flatMap((item) => leavesOf(item, path));
  if (!isJsonObject(value)) return [{ value, path }];
  return Object.entries(value).flatMap(([name, member]) =>
    leavesOf(member, path === '' ? name : `${path}.${name}`),
  );
}
