/** The users of the demo data. */
import type { Weighted } from './random.ts';

const firstNames = [
  'alice',
  'anna',
  'ben',
  'clara',
  'david',
  'emma',
  'frank',
  'grace',
  'henry',
  'ivy',
  'jack',
  'laura',
  'mark',
  'nora',
  'oscar',
];
const lastNames = ['brown', 'hill', 'stone', 'young'];

/** Uses more, and a more expensive model, than anybody else. */
export const topUser = 'olivia.king';

type Users = readonly [Weighted<string>, ...Weighted<string>[]];

const others = lastNames.flatMap((last) => firstNames.map((first) => `${first}.${last}`));

/** Few users send most requests. */
const weightOf = (index: number) => 1 / (index + 4);

export const customers: Users = [
  [topUser, weightOf(0)],
  ...others.map((user, index) => [user, weightOf(index)] as const),
];

const engineerCount = 11;

export const engineers: Users = [
  [topUser, 1.2],
  ...others.slice(0, engineerCount).map((user, index) => [user, weightOf(index)] as const),
];
