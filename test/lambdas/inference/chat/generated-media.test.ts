/** Media that Gemini generates. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filterObjects, type JsonObject, objectOrEmpty } from '#lambdas/platform/json/json.ts';
import { type DialectGateway, startDialectGateway } from '#test/support/chat/dialect-gateway.ts';
import { event } from '#test/support/providers/openai/events.ts';
import { eventData } from '#test/support/providers/sse-events.ts';
import { jsonResponse, streamResponse } from '#test/support/providers/upstream-responses.ts';

let gateway: DialectGateway;
beforeAll(async () => {
  gateway = await startDialectGateway();
});
afterAll(() => gateway.stop());

const pcm = [Buffer.from([0, 1, 2, 3]), Buffer.from([4, 5, 6, 7, 8])];

function chunkOf(mimeType: string, data: Buffer, finishReason?: string) {
  const parts = [{ inlineData: { mimeType, data: data.toString('base64') } }];
  return {
    candidates: [{ index: 0, content: { role: 'model', parts }, finishReason }],
    modelVersion: 'gemini-2.5-flash',
    usageMetadata: { promptTokenCount: 19, candidatesTokenCount: 5, totalTokenCount: 24 },
  };
}

/** One media part in each chunk. */
const streamOf = (mimeType: string) => [
  chunkOf(mimeType, pcm[0] ?? Buffer.alloc(0)),
  chunkOf(mimeType, pcm[1] ?? Buffer.alloc(0), 'STOP'),
];

const deltasOf = (text: string): JsonObject[] =>
  eventData(text)
    .filter((data) => data !== '[DONE]')
    .flatMap((data) => filterObjects(JSON.parse(data).choices))
    .map(({ delta }) => objectOrEmpty(delta));

const messageOf = (text: string) => JSON.parse(text).choices[0].message;

describe("Gemini's audio", () => {
  it.each(['audio/L16;codec=pcm;rate=24000', 'audio/wav'])(
    'of the type %s is in `delta.audio` of a stream',
    async (type) => {
      const respond = streamResponse(streamOf(type).map(event));
      const { text, caller, entry } = await gateway.ask({ protocol: 'google', stream: true, respond });
      const audio = deltasOf(text).flatMap((delta) =>
        delta.audio === undefined ? [] : [objectOrEmpty(delta.audio)],
      );
      expect(audio.map(({ data }) => Buffer.from(String(data), 'base64'))).toEqual(pcm);
      expect(audio[0]?.id).toEqual(expect.stringMatching(/./));
      expect(text).not.toContain('image_url');
      expect(caller).toMatchObject({ status: 200, finish: 'stop', done: true });
      expect(entry).toMatchObject({ outcome: 'completed', finish_reason: 'stop', output_tokens: 5 });
    },
  );

  it.each([
    ['a stream', streamResponse(streamOf('audio/L16;codec=pcm;rate=24000').map(event))],
    ['an array of chunks', jsonResponse(streamOf('audio/L16;codec=pcm;rate=24000'))],
  ])('sent as %s is in `message.audio` of a completion', async (_, respond) => {
    const { text, caller, entry } = await gateway.ask({ protocol: 'google', stream: false, respond });
    const { audio, images, content } = messageOf(text);
    expect(audio).toMatchObject({
      id: expect.stringMatching(/./),
      data: Buffer.concat(pcm).toString('base64'),
    });
    expect([images, content]).toEqual([undefined, null]);
    expect(caller).toMatchObject({ status: 200, finish: 'stop', done: true });
    expect(entry).toMatchObject({ outcome: 'completed', finish_reason: 'stop', output_tokens: 5 });
  });
});

describe.each([
  ['image/png', 'images', 'image_url'],
  ['video/mp4', 'videos', 'video_url'],
])("Gemini's media of the type %s", (mimeType, field, kind) => {
  const expected = pcm.map((data) => ({
    type: kind,
    [kind]: { url: `data:${mimeType};base64,${data.toString('base64')}` },
  }));

  it(`are in \`${field}\`, one in each delta and all in a message`, async () => {
    const chunks = streamOf(mimeType);
    const streamed = await gateway.ask({
      protocol: 'google',
      stream: true,
      respond: streamResponse(chunks.map(event)),
    });
    expect(deltasOf(streamed.text).flatMap((delta) => delta[field] ?? [])).toEqual(expected);
    const whole = await gateway.ask({ protocol: 'google', stream: false, respond: jsonResponse(chunks) });
    expect(messageOf(whole.text)[field]).toEqual(expected);
    for (const { caller, entry } of [streamed, whole]) {
      expect(caller).toMatchObject({ status: 200, finish: 'stop', done: true });
      expect(entry).toMatchObject({ outcome: 'completed', output_tokens: 5 });
    }
  });
});
