/** How long and how much a chat request may take. */
import { isJsonObject } from '#lambdas/platform/json/json.ts';
export interface ChatLimits {
  /** Until the first byte of the provider's answer. */
  firstByteMs: number;
  /** Between two pieces of the provider's answer. */
  idleMs: number;
  /** Until the end of the provider's answer. */
  totalMs: number;
  /** How long, and how far, a provider is read on for its usage when the caller has gone. */
  drainMs: number;
  drainBytes: number;
  /** How often a request may be sent again. */
  retries: number;
  /** A provider that asks to wait longer than this is not asked again. */
  retryAfterMs: number;
  /** How long a provider may keep its connection once its stream has said that it is over. */
  lingerMs: number;
  /** The largest answer that is read as a whole. */
  answerBytes: number;
}

export function chatLimits(settings: ChatLimitSettings): ChatLimits {
  return {
    firstByteMs: settings.firstByteSeconds * 1000,
    idleMs: settings.idleSeconds * 1000,
    totalMs: settings.totalSeconds * 1000,
    drainMs: settings.drainSeconds * 1000,
    drainBytes: settings.drainMegabytes * 1024 * 1024,
    retries: settings.retries,
    retryAfterMs: settings.retryAfterSeconds * 1000,
    lingerMs: 1000,
    answerBytes: 32 * 1024 * 1024,
  };
}

/**
 * What is left of the function's time for each party. The rest is for the log entry: five seconds for its table, three
 * for the queue, and some for what surrounds them.
 */
export function shareRemainingTime(remainingMs: number): { providerMs: number; callerMs: number } {
  return { providerMs: Math.max(remainingMs - 12_000, 100), callerMs: Math.max(remainingMs - 10_000, 100) };
}

// How long and how much a chat request may take: the CDK context `chatLimits`, handed to the chat function as JSON.

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
