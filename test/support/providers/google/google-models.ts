/**
 * What each Gemini model takes and refuses.
 *
 * Levels and budgets: https://ai.google.dev/gemini-api/docs/thinking. The rest is from recorded refusals, among them those that
 * vercel/ai keeps in `packages/google/src/__fixtures__`.
 */

export interface GoogleModel {
  /** With the alias resolved: what `modelVersion` says. */
  version: string;
  thinking: Thinking;
  /** Whether a function call that comes back needs the signature that it was given with. */
  signsCalls: boolean;
  takesCandidateCount: boolean;
  takesPenalties: boolean;
  takesSystemInstruction: boolean;
  takesJsonWithTools: boolean;
  /** Whether the conversation may end with a turn of the model, which it then continues. */
  takesPrefill: boolean;
}

type Thinking =
  | { by: 'level'; levels: readonly string[] }
  | { by: 'budget'; least: number; most: number; canBeOff: boolean }
  | { by: 'nothing' };

const aliases: Readonly<Record<string, string>> = {
  'gemini-pro-latest': 'gemini-3.1-pro-preview',
  'gemini-flash-latest': 'gemini-3.8-flash',
  'gemini-flash-lite-latest': 'gemini-3.5-flash-lite',
};

/** A model without a rule of its own is like the newest ones. */
export function googleModel(name: string): GoogleModel {
  const version = aliases[name] ?? name;
  const generation = Number(/^gemini-(\d+(?:\.\d+)?)/.exec(version)?.[1] ?? Number.POSITIVE_INFINITY);
  const isGemma = version.startsWith('gemma-');
  const isGemini3 = !isGemma && generation >= 3;
  return {
    version,
    thinking: thinkingOf(version, generation),
    signsCalls: isGemini3,
    takesCandidateCount: !isGemma && generation < 3,
    takesPenalties: generation !== 2.5,
    takesSystemInstruction: !isGemma,
    takesJsonWithTools: isGemini3,
    takesPrefill: generation < 3.7,
  };
}

function thinkingOf(version: string, generation: number): Thinking {
  if (version.startsWith('gemma-4')) return { by: 'level', levels: ['MINIMAL', 'HIGH'] };
  if (version.startsWith('gemma-')) return { by: 'nothing' };
  if (generation < 2.5) return { by: 'nothing' };
  if (generation < 3) {
    if (version.includes('pro')) return { by: 'budget', least: 128, most: 32_768, canBeOff: false };
    const least = version.includes('lite') ? 512 : 1;
    return { by: 'budget', least, most: 24_576, canBeOff: true };
  }
  if (version.startsWith('gemini-3-pro')) return { by: 'level', levels: ['LOW', 'HIGH'] };
  const alwaysThinks = version.includes('pro') || (generation >= 3.7 && !version.includes('lite'));
  const levels = ['LOW', 'MEDIUM', 'HIGH'];
  return { by: 'level', levels: alwaysThinks ? levels : ['MINIMAL', ...levels] };
}
