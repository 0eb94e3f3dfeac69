import { describe, expect, it } from 'vitest';
import { chatBody } from '#bench/shared/chat-body.ts';

describe('the body of a chat request', () => {
  it('has exactly as many bytes as it is asked for, whatever its words', () => {
    const sizes = [300, 1001, 5002, 100_003].flatMap((bytes) => [
      [bytes, chatBody({ manner: 'd0-c1-g0', stream: true, bytes }).length],
      [bytes, chatBody({ manner: 'd0-c1-g0', stream: false, bytes, words: '“quoted” ' }).length],
    ]);

    expect(sizes.filter(([asked, got]) => asked !== got)).toEqual([]);
    expect(chatBody({ manner: 'd0-c1-g0', stream: false })).toHaveLength(1000);
  });

  it('asks for a manner, in four messages of text', () => {
    const body = JSON.parse(
      chatBody({ manner: 'd5-c1-g0', stream: false, bytes: 250, words: 'ab“' }).toString(),
    );

    expect(body).toMatchObject({ model: 'openai/d5-c1-g0', stream: false });
    expect(body.messages.map(({ role }: { role: string }) => role)).toEqual([
      'system',
      'user',
      'user',
      'user',
    ]);
    expect(body.messages[1].content).toMatch(/^(ab“)+ *$/);
    expect(body).not.toHaveProperty('stream_options');
  });

  it('asks for the usage of a stream', () => {
    const body = JSON.parse(chatBody({ manner: 'd0-c1-g0', stream: true }).toString());

    expect(body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  });

  it('is not smaller than the rest of the request', () => {
    expect(() => chatBody({ manner: 'd0-c1-g0', stream: false, bytes: 100 })).toThrow(
      'A request does not fit in 100 bytes',
    );
  });
});
