import { describe, expect, it } from 'vitest';
import {
  type CompletionStream,
  createSseTranslator,
} from '#lambdas/inference/providers/translation/stream-sink.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { parseExactJsonObject } from '#lambdas/platform/json/exact-json.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { cutAnywhere } from '#test/support/cut-anywhere.ts';
import { fc } from '#test/support/fast-check.ts';
import { assembleStream, streamProblems } from '#test/support/openai-schema/openai-schema.ts';
import { providerCall } from '#test/support/providers/provider-call.ts';

/** A provider that says `{"text"}`, `{"stop":true}`, `{"error"}` and `{"over":true}`. */
function translate({ text, stop, error, over, number }: JsonObject, stream: CompletionStream): void {
  const choice = stream.choice(0);
  if (typeof text === 'string') choice.text(text);
  if (number !== undefined) choice.text(JSON.stringify(number));
  if (stop === true) choice.finish('stop');
  if (typeof error === 'string') stream.fail(new GatewayError('provider_error', { message: error }));
  if (over === true) stream.end();
}

function read(chunks: Buffer[], { parse = undefined as typeof parseExactJsonObject | undefined } = {}) {
  const reader = createSseTranslator({ call: providerCall({ stream: true }), translate, parse });
  const passed = chunks.map((chunk) => reader.push(chunk));
  const last = reader.end();
  return { text: Buffer.concat([...passed, last]).toString(), passed, last, facts: reader.facts };
}

const event = (data: object, end = '\n') => `event: piece${end}data: ${JSON.stringify(data)}${end}${end}`;
const hello = event({ text: 'Hé' });
const world = event({ text: ' 🙂' });
const stop = event({ stop: true });

function saidIn(text: string) {
  const { choices, done } = assembleStream(text);
  return { content: choices[0]?.message.content, finish: choices[0]?.finish_reason, done };
}

describe("translating a provider's events", () => {
  it('writes what each event says as soon as it is whole', () => {
    const { passed, last, text, facts } = read([hello, world, stop].map((it) => Buffer.from(it)));
    expect(passed.map((bytes) => bytes.toString().match(/"content":"[^"]*"/g))).toEqual([
      ['"content":"Hé"'],
      ['"content":" 🙂"'],
      null,
    ]);
    expect(last.toString()).toMatch(/"finish_reason":"stop".*\n\ndata: \[DONE\]\n\n$/);
    expect(streamProblems(text)).toEqual([]);
    expect(facts).toMatchObject({ started: true, complete: true, problem: null, finishReason: 'stop' });
  });

  it('says the same however the bytes are cut, the lines end, and the stream ends', () => {
    const shapes = fc.record({
      end: fc.constantFrom('\n', '\r\n'),
      ending: fc.constantFrom('whole', 'no blank line', 'no line end'),
      noise: fc.constantFrom(
        '',
        ': ping',
        'event: ping',
        'data:',
        'data: {"text":',
        'data: [1]',
        'data: "x"',
        'id: 5',
      ),
      over: fc.boolean(),
    });
    fc.assert(
      fc.property(shapes, cutAnywhere, ({ end, ending, noise, over }, cut) => {
        const pieces = [
          { text: 'Hé' },
          { text: ' 🙂' },
          { text: '' },
          { stop: true },
          ...(over ? [{ over }] : []),
        ];
        const bytes = pieces.map((piece) => event(piece, end)).join(noise === '' ? '' : noise + end + end);
        const cutOff = { whole: 0, 'no blank line': end.length, 'no line end': 2 * end.length }[ending];
        const { text, facts } = read(cut(Buffer.from(bytes.slice(0, bytes.length - cutOff))));
        expect(streamProblems(text)).toEqual([]);
        expect(saidIn(text)).toEqual({ content: 'Hé 🙂', finish: 'stop', done: true });
        expect(facts).toMatchObject({ complete: true, problem: null });
      }),
    );
  });

  it('joins the lines of data of one event', () => {
    expect(saidIn(read([Buffer.from(`data: {"text":\ndata: "Hi"}\n\n${stop}`)]).text).content).toBe('Hi');
  });

  it('writes nothing of an error in the middle nor of what follows, and keeps what came before', () => {
    const failed = hello + event({ error: 'Overloaded', text: 'x' }) + world + stop + event({ over: true });
    fc.assert(
      fc.property(cutAnywhere, (cut) => {
        const { text, facts } = read(cut(Buffer.from(failed)));
        expect(saidIn(text)).toEqual({ content: 'Héx', finish: null, done: false });
        expect(facts).toMatchObject({ started: true, complete: false, problem: { message: 'Overloaded' } });
      }),
    );
  });

  it('asks for no translation of what follows an error', () => {
    const asked: JsonObject[] = [];
    const reader = createSseTranslator({
      call: providerCall({ stream: true }),
      translate(data, stream) {
        asked.push(data);
        translate(data, stream);
      },
    });
    reader.push(Buffer.from(hello + event({ error: 'Overloaded' }) + world));
    reader.push(Buffer.from(world + stop.trimEnd()));
    reader.end();
    expect(asked).toEqual([{ text: 'Hé' }, { error: 'Overloaded' }]);
  });

  it('tells of an error in a last event without a blank line', () => {
    const { facts, text } = read([Buffer.from(hello + event({ error: 'Overloaded' }).trimEnd())]);
    expect(facts.problem?.message).toBe('Overloaded');
    expect(text).not.toContain('[DONE]');
  });

  it('has not started when the error came first', () => {
    const { facts, text } = read([Buffer.from(`: ping\n\n${event({ error: 'Overloaded' })}${hello}`)]);
    expect([text, facts.started, facts.problem?.message]).toEqual(['', false, 'Overloaded']);
  });

  it.each([
    ['nothing', ''],
    ['comments', ': ping\n\n: ping\n\n'],
    ['what is no event stream', '<html>\n\nBad gateway\n\n</html>'],
  ])('is not complete, and has not started, after %s', (_, bytes) => {
    const { facts, text } = read([Buffer.from(bytes)]);
    expect([text, facts.started, facts.complete]).toEqual(['', false, false]);
  });

  it.each([0, 1, 10, 20])('is not complete when the last event lacks %i bytes and more', (bytes) => {
    const cut = Buffer.from(hello + stop.trimEnd()).subarray(0, -1 - bytes);
    const { facts, text } = read([cut]);
    expect(facts.complete).toBe(false);
    expect(saidIn(text)).toEqual({ content: 'Hé', finish: null, done: false });
  });

  it('says [DONE] once, and nothing that comes after the end', () => {
    const { text } = read([Buffer.from(hello + stop + event({ over: true }) + world + stop)]);
    expect(streamProblems(text)).toEqual([]);
    expect(saidIn(text).content).toBe('Hé');
  });

  it('keeps the digits of numbers where it is asked to', () => {
    const bytes = [Buffer.from(`data: {"number":{"a":1.0,"b":9007199254740993}}\n\n${stop}`)];
    expect(saidIn(read(bytes, { parse: parseExactJsonObject }).text).content).toBe(
      '{"a":1.0,"b":9007199254740993}',
    );
    expect(saidIn(read(bytes).text).content).toBe('{"a":1,"b":9007199254740992}');
  });

  it('reads an event of megabytes that comes in small pieces in time', () => {
    const bytes = Buffer.from(event({ text: 'x'.repeat(2_000_000) }) + stop);
    const chunks = Array.from({ length: Math.ceil(bytes.length / 1000) }, (_, place) =>
      bytes.subarray(place * 1000, (place + 1) * 1000),
    );
    expect(saidIn(read(chunks).text).content?.length).toBe(2_000_000);
  });
});
