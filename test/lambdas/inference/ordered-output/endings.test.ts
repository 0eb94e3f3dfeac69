/** The end of a response, or an error instead of it, is the same in all formats whose responses are a list of parts in order. */
import { describe, expect, it } from 'vitest';
import type { ChoiceSink } from '#lambdas/inference/completion/sink.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { eachFormat, expectParts, writeText } from '#test/support/translation/ordered-formats.ts';

const say = (choice: ChoiceSink) => choice.text('Hi');
const look = (choice: ChoiceSink) => choice.toolCall({ id: 'a', name: 'look' }).arguments('{}');
const error = new GatewayError('provider_error', { message: 'Broken' });
const forms = [true, false];

describe.each(eachFormat)('In the format of %s', (_, format) => {
  const { start, hasEnd, completed, part } = format;
  const text = part({ text: 'Hi' }, 0);

  describe('a response that is not finished', () => {
    it('has no end', () => {
      const { text: stream, facts } = writeText(format, say, { stream: true });
      expect(stream).toContain('Hi');
      expect([facts.ended, facts.finished, hasEnd(stream)]).toEqual([false, false, false]);
      expect(writeText(format, say, { stream: false }).text).toBe('');
    });

    it('may have its end after a finish reason', async () => {
      const writer = start();
      const choice = writer.choice(0);
      say(choice);
      choice.finish('stop');
      const before = writer.take().toString();
      expect([writer.facts.finished, hasEnd(before)]).toEqual([true, false]);
      look(choice);
      writer.end();
      const after = writer.take().toString();
      expect(after).toContain(completed.withCalls);
      const body = await format.assemble(before + after);
      expect(body[format.list]).toEqual([text, part({ call: 'a' }, 1)]);
    });

    it('ends regularly if it is a whole one, which has no word for it', () => {
      for (const stream of forms) {
        const writer = start({ stream });
        say(writer.choice(0));
        writer.endWhole();
        expect(writer.take().toString()).toContain(completed.withText);
        expect([writer.facts.ended, writer.facts.finished]).toEqual([true, true]);
      }
    });
  });

  describe('an error of the provider', () => {
    it('ends the response without a sign of success, whatever follows it', () => {
      for (const stream of forms) {
        const writer = start({ stream });
        const choice = writer.choice(0);
        say(choice);
        const before = writer.take().toString();
        writer.fail(error);
        writer.fail(new GatewayError('provider_error', { message: 'Another' }));
        choice.text('more');
        choice.reasoning('Hm');
        look(choice);
        choice.finish('stop');
        writer.ping();
        writer.end();
        writer.endWhole();
        expect([writer.facts.error, writer.facts.ended]).toEqual([error, false]);
        expect(writer.take().toString()).toBe('');
        expect(hasEnd(before)).toBe(false);
      }
    });

    it('is one that its finish reason states', () => {
      for (const stream of forms) {
        const script = (choice: ChoiceSink) => {
          say(choice);
          choice.finish('network_error');
        };
        const written = writeText(format, script, { stream });
        expect(written.facts.error?.message).toBe(
          'The provider some ended its response with "network_error"',
        );
        expect(hasEnd(written.text)).toBe(false);
      }
    });

    it('does not follow the end', () => {
      const writer = start();
      const choice = writer.choice(0);
      say(choice);
      choice.finish('stop');
      writer.end();
      writer.take();
      writer.fail(error);
      choice.text('more');
      choice.media({ mediaType: 'image/png', data: 'AAAA' });
      writer.ping();
      writer.end();
      expect([writer.facts.error, writer.facts.ended]).toEqual([null, true]);
      expect(writer.take().toString()).toBe('');
    });
  });

  describe('generated media', () => {
    it.each<[medium: string, write: (choice: ChoiceSink) => void]>([
      ['audio', (choice) => choice.audio({ data: 'AAAA' })],
      ['image/png', (choice) => choice.media({ mediaType: 'image/png', data: 'AAAA' })],
      ['images', (choice) => choice.extra({ images: [{ type: 'image_url' }] })],
      ['videos', (choice) => choice.extra({ annotations: [], videos: [{}] })],
      ['files', (choice) => choice.extra({ files: [{}] })],
    ])('is an error: %s', (medium, write) => {
      const message = `The model of the provider some generated ${medium}, which ${format.noun} cannot contain: use POST /ai/chat/completions`;
      for (const stream of forms) {
        const script = (choice: ChoiceSink) => {
          choice.text('See: ');
          write(choice);
          choice.finish('stop');
        };
        const written = writeText(format, script, { stream });
        expect(written.facts.error).toMatchObject({ code: 'provider_error', message });
        expect(hasEnd(written.text)).toBe(false);
      }
    });

    it('is none in other fields, which the format does not have', async () => {
      await expectParts(
        format,
        (choice, writer) => {
          writer.fields({ system_fingerprint: 'f' });
          say(choice);
          choice.extra({ annotations: [{}], reasoning_details: [] });
          choice.logprobs({ content: [] });
          choice.stopSequence('END');
          choice.omit();
          choice.finish('stop');
          expect(writer.facts.error).toBeNull();
        },
        [text],
      );
    });
  });

  it('choices after the first one are ignored', async () => {
    const body = await expectParts(
      format,
      (choice, writer) => {
        const second = writer.choice(1);
        second.begin();
        second.text('Other');
        second.reasoning('Other');
        look(second);
        second.media({ mediaType: 'image/png', data: 'AAAA' });
        say(choice);
        second.finish('length');
        choice.finish('stop');
        second.text('Other');
      },
      [text],
    );
    expect(JSON.stringify(body)).toContain(completed.withText);
  });
});
