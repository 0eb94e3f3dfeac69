/** The properties of the models of the Gemini API, by name. */
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import type { ReasoningEffort } from '../translation/request.ts';

export interface GoogleModel {
  /** The `thinkingConfig` for each `reasoning_effort` that the model supports. */
  thinkingByEffort: Readonly<Partial<Record<ReasoningEffort, JsonObject>>>;
  /** Whether a function call has to be sent back with its signature. */
  needsSignatures: boolean;
  takesPenalties: boolean;
  takesSystemInstruction: boolean;
  /** Whether a function's result can hold images and files. */
  takesMediaInResults: boolean;
}

/** An unknown Gemini counts as one of the newest. */
export function googleModel(model: string): GoogleModel {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  const isGemini = name.startsWith('gemini-');
  const generation = generationOf(name);
  const isGemini3 = isGemini && (generation === null || generation >= 3);
  return {
    thinkingByEffort: thinkingByEffort(name, generation),
    needsSignatures: isGemini3,
    // "Penalty is not enabled for models/gemini-2.5-…"
    takesPenalties: generation !== 2.5,
    // "Developer instruction is not enabled for models/gemma-…"
    takesSystemInstruction: !name.startsWith('gemma-'),
    // https://ai.google.dev/gemini-api/docs/function-calling#multimodal
    takesMediaInResults: isGemini3,
  };
}

/** `null` if the name has none; the aliases for the latest models count as newer than all others. */
function generationOf(name: string): number | null {
  if (/^gemini-(pro|flash|flash-lite)-latest$/.test(name)) return Number.POSITIVE_INFINITY;
  const [, generation] = /^gemini-(\d+(?:\.\d+)?)(?:-|$)/.exec(name) ?? [];
  return generation === undefined ? null : Number(generation);
}

/**
 * Follows Google's own mapping: https://ai.google.dev/gemini-api/docs/openai#thinking. The levels and budgets of each model:
 * https://ai.google.dev/gemini-api/docs/thinking
 */
function thinkingByEffort(name: string, generation: number | null): GoogleModel['thinkingByEffort'] {
  if (name.startsWith('gemma-4')) return { minimal: level('minimal'), high: level('high') };
  if (generation === null || generation < 2.5) return {};
  if (generation < 3) {
    const off: GoogleModel['thinkingByEffort'] = name.includes('pro') ? {} : { none: { thinkingBudget: 0 } };
    return { ...off, minimal: budget(1024), low: budget(1024), medium: budget(8192), high: budget(24_576) };
  }
  const hasMinimal = name.includes('lite') || (name.includes('flash') && generation < 3.7);
  return {
    minimal: level(hasMinimal ? 'minimal' : 'low'),
    low: level('low'),
    medium: level('medium'),
    high: level('high'),
  };
}

function level(thinkingLevel: string): JsonObject {
  return { thinkingLevel, includeThoughts: true };
}

function budget(thinkingBudget: number): JsonObject {
  return { thinkingBudget, includeThoughts: true };
}
