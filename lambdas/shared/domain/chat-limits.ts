/** How long and how much a chat request may take: the CDK context `chatLimits`, handed to the chat function as JSON. */
import { isJsonObject } from './json.ts';

/** All are optional for the operator. */
export interface ChatLimitSettings {
  /** Until the first byte of the provider's answer. */
  firstByteSeconds: number;
  /** Between two pieces of the provider's answer. */
  idleSeconds: number;
  /** Until the end of the provider's answer. What is left of the function's time is a limit too. */
  totalSeconds: number;
  /** How long, and how far, a provider is read on for its usage when the caller has gone. */
  drainSeconds: number;
  drainMegabytes: number;
  /** How often a request may be sent again. */
  retries: number;
  /** A provider that asks to wait longer than this is not asked again. */
  retryAfterSeconds: number;
}

export const defaultChatLimits: ChatLimitSettings = {
  // API Gateway ends a stream that is silent for five minutes.
  firstByteSeconds: 285,
  idleSeconds: 285,
  // The function's fifteen minutes but for the twelve seconds that its bookkeeping has.
  totalSeconds: 888,
  drainSeconds: 30,
  drainMegabytes: 10,
  retries: 1,
  retryAfterSeconds: 2,
};

interface Range {
  minimum: number;
  maximum: number;
  isWhole?: true;
}

const seconds: Range = { minimum: 0.1, maximum: 888 };

const ranges: Readonly<Record<keyof ChatLimitSettings, Range>> = {
  firstByteSeconds: seconds,
  idleSeconds: seconds,
  totalSeconds: seconds,
  drainSeconds: { minimum: 0, maximum: 888 },
  drainMegabytes: { minimum: 0, maximum: 200 },
  retries: { minimum: 0, maximum: 3, isWhole: true },
  retryAfterSeconds: { minimum: 0, maximum: 30 },
};

/** What is not said has its default. Throws an `Error` whose message names the setting and says what it must be. */
export function parseChatLimits(value: unknown): ChatLimitSettings {
  if (!isJsonObject(value)) throw new Error('chatLimits must be an object such as {"idleSeconds":60}');
  for (const [name, limit] of Object.entries(value)) {
    if (!isLimitName(name)) {
      throw new Error(`chatLimits.${name} is not a setting: use ${Object.keys(ranges).join(', ')}`);
    }
    checkLimit(`chatLimits.${name}`, limit, ranges[name]);
  }
  return { ...defaultChatLimits, ...value };
}

function isLimitName(name: string): name is keyof ChatLimitSettings {
  return Object.hasOwn(ranges, name);
}

function checkLimit(path: string, limit: unknown, { minimum, maximum, isWhole }: Range): void {
  const isNumber = isWhole ? Number.isInteger(limit) : Number.isFinite(limit);
  if (isNumber && Number(limit) >= minimum && Number(limit) <= maximum) return;
  const kind = isWhole ? 'a whole number' : 'a number';
  throw new Error(`${path} must be ${kind} from ${minimum} to ${maximum}: got ${JSON.stringify(limit)}`);
}
