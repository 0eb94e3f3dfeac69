/** The capabilities of the Gemini API's models, by name. */

import type { ReasoningEffort } from '#lambdas/inference/completion/request.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';

export interface GoogleModel {
  thinkingConfigByEffort: Readonly<Partial<Record<ReasoningEffort, JsonObject>>>;
  /** The range of `thinkingBudget`, in tokens; `null` for a model that knows only levels. */
  thinkingBudgets: { min: number; max: number } | null;
  /** Whether it thinks without being asked to. */
  thinksByDefault: boolean;
  requiresThoughtSignatures: boolean;
  supportsPenalties: boolean;
  supportsSystemInstruction: boolean;
  supportsMediaInFunctionResponses: boolean;
}

/** Returns `models/<name>`. A model's name may already include its collection. */
export function resourceName(model: string): string {
  return /^(models|tunedModels)\/./.test(model) ? model : `models/${model}`;
}

/** The path of the model's methods. */
export function modelPath(model: string): string {
  const name = resourceName(model);
  const slash = name.indexOf('/') + 1;
  return name.slice(0, slash) + encodeURIComponent(name.slice(slash));
}

/** An unknown Gemini model is treated like the latest. */
export function googleModel(model: string): GoogleModel {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  const isGemini = name.startsWith('gemini-');
  const generation = parseGeneration(name);
  const isGemini3 = isGemini && (generation === null || generation >= 3);
  return {
    thinkingConfigByEffort: thinkingConfigByEffort(name, generation),
    thinkingBudgets: thinkingBudgets(name, generation),
    thinksByDefault: generation !== null && generation >= 2.5 && !(generation < 3 && name.includes('lite')),
    requiresThoughtSignatures: isGemini3,
    // "Penalty is not enabled for models/gemini-2.5-…"
    supportsPenalties: generation !== 2.5,
    // "Developer instruction is not enabled for models/gemma-…"
    supportsSystemInstruction: !name.startsWith('gemma-'),
    // https://ai.google.dev/gemini-api/docs/function-calling#multimodal
    supportsMediaInFunctionResponses: isGemini3,
  };
}

/** Returns `null` for a name without a generation, and infinity for the aliases of the latest models. */
function parseGeneration(name: string): number | null {
  if (/^gemini-(pro|flash|flash-lite)-latest$/.test(name)) return Number.POSITIVE_INFINITY;
  const [, generation] = /^gemini-(\d+(?:\.\d+)?)(?:-|$)/.exec(name) ?? [];
  return generation === undefined ? null : Number(generation);
}

/**
 * Follows Google's mapping: https://ai.google.dev/gemini-api/docs/openai#thinking. Levels and budgets of the models:
 * https://ai.google.dev/gemini-api/docs/thinking
 */
function thinkingConfigByEffort(
  name: string,
  generation: number | null,
): GoogleModel['thinkingConfigByEffort'] {
  if (name.startsWith('gemma-4')) return { minimal: level('minimal'), high: level('high') };
  if (generation === null || generation < 2.5) return {};
  if (generation < 3) {
    const off: GoogleModel['thinkingConfigByEffort'] = name.includes('pro')
      ? {}
      : { none: { thinkingBudget: 0 } };
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

/** https://ai.google.dev/gemini-api/docs/thinking#set-budget */
function thinkingBudgets(name: string, generation: number | null): GoogleModel['thinkingBudgets'] {
  if (generation === null || generation < 2.5 || generation >= 3) return null;
  if (name.includes('pro')) return { min: 128, max: 32_768 };
  return { min: name.includes('lite') ? 512 : 0, max: 24_576 };
}

function level(thinkingLevel: string): JsonObject {
  return { thinkingLevel, includeThoughts: true };
}

function budget(thinkingBudget: number): JsonObject {
  return { thinkingBudget, includeThoughts: true };
}
