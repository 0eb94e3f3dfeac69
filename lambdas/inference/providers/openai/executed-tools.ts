/** Reads which of Groq's built-in tools a response has used. https://console.groq.com/docs/compound/built-in-tools */
import {
  filterObjects,
  type JsonObject,
  numberOr,
  objectOrEmpty,
  stringOrEmpty,
} from '#lambdas/platform/json/json.ts';
import type { ToolReader } from './billing.ts';
import { choicesOf } from './response-facts.ts';
import { findBreakdown, partsOfBreakdown } from './usage-breakdown.ts';

/** The tools' names; their fees are per search, per page or per hour. Responses do not contain the duration. */
const charges: ReadonlyMap<string, 'webSearches' | 'pageVisits' | 'code_execution' | 'browser_automation'> =
  new Map([
    ['search', 'webSearches'],
    ['web_search', 'webSearches'],
    ['browser_search', 'webSearches'],
    ['visit', 'pageVisits'],
    ['visit_website', 'pageVisits'],
    ['open', 'pageVisits'],
    ['python', 'code_execution'],
    ['code_execution', 'code_execution'],
    ['code_interpreter', 'code_execution'],
    ['browser_automation', 'browser_automation'],
  ]);

export function createExecutedToolReader(): ToolReader {
  /** By choice and index: a stream repeats a tool when it has finished. */
  const seen = new Set<string>();
  const counts = { webSearches: 0, pageVisits: 0, code_execution: 0, browser_automation: 0 };
  let breakdown: JsonObject | null = null;
  const unitCounts = () => {
    const { webSearches, pageVisits } = counts;
    return { ...(webSearches > 0 && { webSearches }), ...(pageVisits > 0 && { pageVisits }) };
  };
  return {
    read(response) {
      breakdown = findBreakdown(response) ?? breakdown;
      for (const [choicePosition, choice] of filterObjects(choicesOf(response)).entries()) {
        const { executed_tools: tools } = objectOrEmpty(choice.message ?? choice.delta);
        for (const [position, tool] of filterObjects(tools).entries()) {
          const key = `${numberOr(choice.index, choicePosition)} ${numberOr(tool.index, position)}`;
          const charge = seen.has(key) ? undefined : charges.get(nameOf(tool));
          seen.add(key);
          if (charge !== undefined) counts[charge]++;
        }
      }
    },
    unitCounts,
    gaps: () => (['code_execution', 'browser_automation'] as const).filter((gap) => counts[gap] > 0),
    partsOf: (usage) => partsOfBreakdown(breakdown, { usage, units: unitCounts() }),
  };
}

/** The tools of the GPT-OSS models have the type `function`. */
function nameOf({ type, name }: JsonObject): string {
  return type === 'function' ? stringOrEmpty(name) : stringOrEmpty(type);
}
