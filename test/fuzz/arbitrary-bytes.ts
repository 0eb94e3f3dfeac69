/** Bytes that were changed on the way: taken out, there twice, flipped or made up. */
import { fc } from '#test/support/fast-check.ts';

export type Change = (bytes: Buffer) => Buffer;

const unchanged: Change = (bytes) => bytes;

const cutOut = fc.tuple(fc.nat(), fc.nat(40)).map(
  ([place, length]): Change =>
    (bytes) => {
      const from = place % (bytes.length + 1);
      return Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + length)]);
    },
);

const doubled = fc.tuple(fc.nat(), fc.nat(200)).map(
  ([place, length]): Change =>
    (bytes) => {
      const from = place % (bytes.length + 1);
      return Buffer.concat([bytes.subarray(0, from + length), bytes.subarray(from)]);
    },
);

const flipped = fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })).map(
  ([place, mask]): Change =>
    (bytes) => {
      const at = place % Math.max(bytes.length, 1);
      return Buffer.from(bytes.map((byte, index) => (index === at ? byte ^ mask : byte)));
    },
);

const madeUp = fc.tuple(fc.nat(), fc.uint8Array({ maxLength: 20 })).map(
  ([place, own]): Change =>
    (bytes) => {
      const from = place % (bytes.length + 1);
      return Buffer.concat([bytes.subarray(0, from), own, bytes.subarray(from)]);
    },
);

const cutOff = fc.nat().map(
  (place): Change =>
    (bytes) =>
      bytes.subarray(0, place % (bytes.length + 1)),
);

export const anyChange = fc.oneof(
  { weight: 5, arbitrary: fc.constant(unchanged) },
  ...[cutOut, doubled, flipped, madeUp, cutOff].map((arbitrary) => ({ weight: 1, arbitrary })),
);
