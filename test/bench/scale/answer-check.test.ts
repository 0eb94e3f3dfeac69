import { describe, expect, it } from 'vitest';
import { isAsAsked } from '#bench/scale/answer-check.ts';

const chunk = 'data: {"content":" token"}\n\n';
const usage = (tokens: number) => `data: {"completion_tokens":${tokens},"total_tokens":9}\n\n`;
const end = 'data: [DONE]\n\n';
const stream = { stream: true, chunks: 2 };

describe('an answer as it was asked for', () => {
  it('is a stream with its chunks, its usage and its end', () => {
    expect(isAsAsked({ status: 200, text: chunk + chunk + usage(2) + end }, stream)).toBe(true);
  });

  it.each([
    ['another status', { status: 500, text: chunk + chunk + usage(2) + end }],
    ['a chunk less', { status: 200, text: chunk + usage(2) + end }],
    ['a chunk more', { status: 200, text: chunk + chunk + chunk + usage(2) + end }],
    ['the usage of another', { status: 200, text: chunk + chunk + usage(21) + end }],
    ['no end', { status: 200, text: chunk + chunk + usage(2) }],
  ])('is none with %s', (_, answered) => {
    expect(isAsAsked(answered, stream)).toBe(false);
  });

  it('is a whole one with as many words', () => {
    const text = '{"content":" token token","completion_tokens":2,"total_tokens":9}';

    expect(isAsAsked({ status: 200, text }, { stream: false, chunks: 2 })).toBe(true);
    expect(isAsAsked({ status: 200, text: text.slice(0, -1) }, { stream: false, chunks: 2 })).toBe(false);
  });
});
