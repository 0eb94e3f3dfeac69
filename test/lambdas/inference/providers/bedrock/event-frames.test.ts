import { EventStreamCodec } from '@smithy/core/event-streams';
import { fromUtf8, toUtf8 } from '@smithy/core/serde';
import { describe, expect, it } from 'vitest';
import { createFrameSplitter, DamagedStream } from '#lambdas/inference/providers/bedrock/event-stream.ts';
import { cutAnywhere } from '#test/support/cut-anywhere.ts';
import { fc } from '#test/support/fast-check.ts';
import { bedrockFrame } from '#test/support/providers/bedrock/bedrock-event-stream.ts';

/**
 * Recorded from eu.anthropic.claude-sonnet-4-6:
 * https://github.com/vercel/ai/blob/main/packages/amazon-bedrock/src/__fixtures__/issue-18994-live-converse-stream.json
 */
const recorded =
  'AAAAswAAAFfHSmn6CzpldmVudC10eXBlBwARY29udGVudEJsb2NrRGVsdGENOmNvbnRlbnQtdHlwZQcAEGFwcGxpY2F0aW9uL2pzb24NOm1lc3NhZ2UtdHlwZQcABWV2ZW50eyJjb250ZW50QmxvY2tJbmRleCI6MCwiZGVsdGEiOnsidGV4dCI6Ik9LIn0sInAiOiJhYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3gifXbBTlw=';

describe('frames of an event stream', () => {
  it('are read as AWS writes them', () => {
    expect([...createFrameSplitter().push(Buffer.from(recorded, 'base64'))]).toEqual([
      {
        kind: 'event',
        type: 'contentBlockDelta',
        payload: { contentBlockIndex: 0, delta: { text: 'OK' }, p: 'abcdefghijklmnopqrstuvwx' },
      },
    ]);
  });

  it('are found wherever the bytes are cut', () => {
    const sent = Array.from({ length: 5 }, (_, number) => ({ number, text: 'é'.repeat(number * 50) }));
    const bytes = Buffer.concat(sent.map((payload) => bedrockFrame({ event: payload })));

    fc.assert(
      fc.property(cutAnywhere, (cut) => {
        const splitter = createFrameSplitter();
        const found = cut(bytes).flatMap((chunk) => [...splitter.push(chunk)]);

        expect(found.map(({ payload: { number, text } }) => ({ number, text }))).toEqual(sent);
      }),
    );
  });

  it('may hold an error that the service has not named in its model', () => {
    const text = (value: string) => ({ type: 'string' as const, value });
    const headers = {
      ':message-type': text('error'),
      ':error-code': text('InternalFailure'),
      ':error-message': text('Sorry'),
    };
    const frame = new EventStreamCodec(toUtf8, fromUtf8).encode({ headers, body: new Uint8Array() });

    expect([...createFrameSplitter().push(Buffer.from(frame))]).toEqual([
      { kind: 'exception', type: 'InternalFailure', payload: { message: 'Sorry' } },
    ]);
  });

  it.each([
    ['a length that no frame has', Buffer.from([0, 0, 0, 15])],
    ['a length that is too large', Buffer.from([127, 0, 0, 0])],
    ['a checksum that is wrong', Buffer.from(recorded.replace(/w=$/, 'A='), 'base64')],
  ])('are damaged by %s', (_, bytes) => {
    expect(() => [...createFrameSplitter().push(bytes)]).toThrow(DamagedStream);
  });
});
