import { describe, expect, it } from 'vitest';
import type { CompletionWriter } from '#lambdas/inference/completion/sink.ts';
import { createResponseReader } from '#lambdas/inference/providers/translation/response-reader.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { parseExactJson } from '#lambdas/platform/json/exact-json.ts';
import { type JsonObject, parseJson } from '#lambdas/platform/json/json.ts';
import { fc } from '#test/support/fast-check.ts';
import { splitAnywhere } from '#test/support/http/split-anywhere.ts';
import { assembleStream, streamProblems } from '#test/support/openai-schema/validate.ts';
import { chatWriter, providerCall } from '#test/support/providers/provider-call.ts';

/** Translates the events `{"text"}`, `{"number"}`, `{"stop":true}`, `{"error"}` and `{"over":true}`. */
function translate({ text, stop, error, over, number }: JsonObject, stream: CompletionWriter): void {
  const choice = stream.choice(0);
  if (typeof text === 'string') choice.text(text);
  if (number !== undefined) choice.text(JSON.stringify(number));
  if (stop === true) choice.finish('stop');
  if (typeof error === 'string') stream.fail(new GatewayError('provider_error', { message: error }));
  if (over === true) stream.end();
}

const call = providerCall({ stream: true });
const reading = {
  call,
  createWriter: chatWriter(call),
  provider: 'some',
  createReadPayload: (writer: CompletionWriter) => (data: JsonObject) => translate(data, writer),
};

function read(chunks: Buffer[], parse: typeof parseExactJson = parseJson) {
  const reader = createResponseReader({ ...reading, parse });
  const outputs = chunks.map((chunk) => reader.push(chunk));
  const last = reader.end();
  return { text: Buffer.concat([...outputs, last]).toString(), outputs, last, facts: reader.facts };
}

const event = (data: object, end = '\n') => `event: piece${end}data: ${JSON.stringify(data)}${end}${end}`;
const hello = event({ text: 'Hé' });
const world = event({ text: ' 🙂' });
const stop = event({ stop: true });

function assembledContent(text: string) {
  const { choices, done } = assembleStream(text);
  return { content: choices[0]?.message.content, finish: choices[0]?.finish_reason, done };
}

describe('createResponseReader', () => {
  it('translates each event as soon as it is complete', () => {
    const { outputs, last, text, facts } = read([hello, world, stop].map((it) => Buffer.from(it)));
    expect(outputs.map((bytes) => bytes.toString().match(/"content":"[^"]*"/g))).toEqual([
      ['"content":"Hé"'],
      ['"content":" 🙂"'],
      null,
    ]);
    expect(last.toString()).toMatch(/"finish_reason":"stop".*\n\ndata: \[DONE\]\n\n$/);
    expect(streamProblems(text)).toEqual([]);
    expect(facts).toMatchObject({ started: true, finished: true, error: null, finishReason: 'stop' });
  });

  it('translates a stream the same wherever its bytes are split and however lines and the stream end', () => {
    const shapes = fc.record({
      end: fc.constantFrom('\n', '\r\n', '\r'),
      ending: fc.constantFrom('complete', 'no blank line', 'no line end'),
      noise: fc.constantFrom('', ': ping', 'event: ping', 'data:', 'id: 5'),
      over: fc.boolean(),
    });
    fc.assert(
      fc.property(shapes, splitAnywhere, ({ end, ending, noise, over }, split) => {
        const events = [
          { text: 'Hé' },
          { text: ' 🙂' },
          { text: '' },
          { stop: true },
          ...(over ? [{ over }] : []),
        ];
        const bytes = events.map((data) => event(data, end)).join(noise === '' ? '' : noise + end + end);
        const truncatedBytes = { complete: 0, 'no blank line': end.length, 'no line end': 2 * end.length }[
          ending
        ];
        const { text, facts } = read(split(Buffer.from(bytes.slice(0, bytes.length - truncatedBytes))));
        expect(streamProblems(text)).toEqual([]);
        expect(assembledContent(text)).toEqual({ content: 'Hé 🙂', finish: 'stop', done: true });
        expect(facts).toMatchObject({ finished: true, error: null });
      }),
    );
  });

  it('joins the data lines of one event', () => {
    expect(assembledContent(read([Buffer.from(`data: {"text":\ndata: "Hi"}\n\n${stop}`)]).text).content).toBe(
      'Hi',
    );
  });

  it('writes the text before an error mid-stream, but neither the error nor later events', () => {
    const failed = hello + event({ error: 'Overloaded', text: 'x' }) + world + stop + event({ over: true });
    fc.assert(
      fc.property(splitAnywhere, (split) => {
        const { text, facts } = read(split(Buffer.from(failed)));
        expect(assembledContent(text)).toEqual({ content: 'Héx', finish: null, done: false });
        expect(facts).toMatchObject({ started: true, finished: false, error: { message: 'Overloaded' } });
      }),
    );
  });

  it('does not translate events after an error', () => {
    const translatedEvents: JsonObject[] = [];
    const reader = createResponseReader({
      ...reading,
      createReadPayload: (writer) => (data) => {
        translatedEvents.push(data);
        translate(data, writer);
      },
    });
    reader.push(Buffer.from(hello + event({ error: 'Overloaded' }) + world));
    reader.push(Buffer.from(world + stop.trimEnd()));
    reader.end();
    expect(translatedEvents).toEqual([{ text: 'Hé' }, { error: 'Overloaded' }]);
  });

  it('reads an error from a last event without a blank line', () => {
    const { facts, text } = read([Buffer.from(hello + event({ error: 'Overloaded' }).trimEnd())]);
    expect(facts.error?.message).toBe('Overloaded');
    expect(text).not.toContain('[DONE]');
  });

  it('does not start the stream when the first event is an error', () => {
    const { facts, text } = read([Buffer.from(`: ping\n\n${event({ error: 'Overloaded' })}${hello}`)]);
    expect([text, facts.started, facts.error?.message]).toEqual([': ping\n\n', false, 'Overloaded']);
  });

  it.each([
    ['nothing', ''],
    ['comments', ': ping\n\n: ping\n\n'],
    ['HTML', '<html>\n\nBad gateway\n\n</html>'],
  ])('is an error after %s', (_, bytes) => {
    const { facts } = read([Buffer.from(bytes)]);
    expect([facts.started, facts.finished, facts.error?.message]).toEqual([
      false,
      false,
      'The response of the provider some contains no completion',
    ]);
  });

  it.each([0, 1, 10, 20])(
    'does not complete the stream when the last event is truncated by %i more bytes',
    (bytes) => {
      const truncated = Buffer.from(hello + stop.trimEnd()).subarray(0, -1 - bytes);
      const { facts, text } = read([truncated]);
      expect(facts.finished).toBe(false);
      expect(assembledContent(text)).toEqual({ content: 'Hé', finish: null, done: false });
    },
  );

  it('sends [DONE] once and ignores events after the end', () => {
    const { text } = read([Buffer.from(hello + stop + event({ over: true }) + world + stop)]);
    expect(streamProblems(text)).toEqual([]);
    expect(assembledContent(text).content).toBe('Hé');
  });

  it('preserves the digits of numbers with an exact parser', () => {
    const bytes = [Buffer.from(`data: {"number":{"a":1.0,"b":9007199254740993}}\n\n${stop}`)];
    expect(assembledContent(read(bytes, parseExactJson).text).content).toBe('{"a":1.0,"b":9007199254740993}');
    expect(assembledContent(read(bytes).text).content).toBe('{"a":1,"b":9007199254740992}');
  });

  it('reads an event of 2 MB in chunks of 1,000 bytes', () => {
    const bytes = Buffer.from(event({ text: 'x'.repeat(2_000_000) }) + stop);
    const chunks = Array.from({ length: Math.ceil(bytes.length / 1000) }, (_, index) =>
      bytes.subarray(index * 1000, (index + 1) * 1000),
    );
    expect(assembledContent(read(chunks).text).content?.length).toBe(2_000_000);
  });
});
