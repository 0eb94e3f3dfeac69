import { fc } from '#test/support/fast-check.ts';

export type Mutation = (bytes: Buffer) => Buffer;

const unchanged: Mutation = (bytes) => bytes;

const removed = fc.tuple(fc.nat(), fc.nat(40)).map(
  ([place, length]): Mutation =>
    (bytes) => {
      const from = place % (bytes.length + 1);
      return Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + length)]);
    },
);

const duplicated = fc.tuple(fc.nat(), fc.nat(200)).map(
  ([place, length]): Mutation =>
    (bytes) => {
      const from = place % (bytes.length + 1);
      return Buffer.concat([bytes.subarray(0, from + length), bytes.subarray(from)]);
    },
);

const flipped = fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })).map(
  ([place, mask]): Mutation =>
    (bytes) => {
      const at = place % Math.max(bytes.length, 1);
      return Buffer.from(bytes.map((byte, index) => (index === at ? byte ^ mask : byte)));
    },
);

const inserted = fc.tuple(fc.nat(), fc.uint8Array({ maxLength: 20 })).map(
  ([place, insertion]): Mutation =>
    (bytes) => {
      const from = place % (bytes.length + 1);
      return Buffer.concat([bytes.subarray(0, from), insertion, bytes.subarray(from)]);
    },
);

const truncated = fc.nat().map(
  (place): Mutation =>
    (bytes) =>
      bytes.subarray(0, place % (bytes.length + 1)),
);

export const byteMutation = fc.oneof(
  { weight: 5, arbitrary: fc.constant(unchanged) },
  ...[removed, duplicated, flipped, inserted, truncated].map((arbitrary) => ({ weight: 1, arbitrary })),
);
