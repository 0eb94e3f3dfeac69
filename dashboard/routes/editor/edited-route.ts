/** A route as it is edited: each field as text. */
import type { Locale } from '#dashboard/components/values/locale.ts';
import { formatCount } from '#dashboard/components/values/number-format.ts';
import { editableNumber, parseLocaleNumber } from '#dashboard/components/values/parse-number.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import {
  defaultAttempts,
  defaultFirstEventSeconds,
  type Route,
  type RouteStrategy,
  type RouteTarget,
  routeBounds,
  routeNamePattern,
} from '#lambdas/routing/route.ts';
import { parseJsonObject } from '../json-object.ts';

export interface EditedTarget {
  /** Stays the same when the target is moved. */
  id: string;
  model: string;
  /** Empty for the default, like the next ones. */
  weight: string;
  /** JSON. */
  parameters: string;
  firstEventSeconds: string;
}

export interface EditedRoute {
  strategy: RouteStrategy;
  targets: EditedTarget[];
  attempts: string;
}

export function newTarget(): EditedTarget {
  return { id: crypto.randomUUID(), model: '', weight: '', parameters: '', firstEventSeconds: '' };
}

/** @param route `null` for a new one */
export function editableRoute(route: Route | null, locale?: Locale): EditedRoute {
  const numberText = (value: number | undefined) =>
    value === undefined ? '' : editableNumber(String(value), locale);
  const targets = route?.targets.map(({ model, weight, parameters, first_event_seconds: seconds }) => ({
    ...newTarget(),
    model,
    weight: numberText(weight),
    parameters: parameters === undefined ? '' : JSON.stringify(parameters, null, 2),
    firstEventSeconds: numberText(seconds),
  }));
  return {
    strategy: route?.strategy ?? 'order',
    targets: targets ?? [newTarget()],
    attempts: numberText(route?.attempts),
  };
}

/** The body with which the API sets the route. A weight counts for the strategy `weight` alone. */
export function routeOf({ strategy, targets, attempts }: EditedRoute, locale?: Locale): object {
  return {
    strategy,
    targets: targets.map((target): RouteTarget => {
      const parameters = parseParameters(target.parameters);
      return {
        model: target.model.trim(),
        ...(strategy === 'weight' && { weight: parseNumber(target.weight, locale) }),
        ...(parameters && Object.keys(parameters).length > 0 && { parameters }),
        first_event_seconds: parseNumber(target.firstEventSeconds, locale),
      };
    }),
    attempts: parseNumber(attempts, locale),
  };
}

/** Undefined for an empty text, and NaN for one that is no number. */
function parseNumber(text: string, locale: Locale): number | undefined {
  if (text.trim() === '') return undefined;
  return Number(parseLocaleNumber(text, locale) ?? Number.NaN);
}

/** None for an empty text, and `null` for one that is no JSON object. */
function parseParameters(text: string): JsonObject | null {
  return text.trim() === '' ? {} : parseJsonObject(text);
}

// Each check returns why a text is refused, or `null`. The server has the last word.

/** @param taken the names of the organization's other routes */
export function checkName(name: string, taken: readonly string[]): string | null {
  if (!routeNamePattern.test(name.trim()))
    return 'Enter 1 to 64 lower-case letters, digits, dots, hyphens or underscores, beginning with a letter or digit';
  return taken.includes(name.trim()) ? 'There is a route with this name' : null;
}

export function checkModel(model: string): string | null {
  return /^[^/]+\/./.test(model.trim()) && !model.trim().startsWith('route/')
    ? null
    : 'Enter a model with its provider, such as openai/gpt-4o-mini';
}

export function checkWeight(text: string, locale?: Locale): string | null {
  return checkNumber(text, { min: 0, max: routeBounds.weight, default: 1 }, locale);
}

export function checkAttempts(text: string, locale?: Locale): string | null {
  const bounds = { min: 1, max: routeBounds.attempts, default: defaultAttempts };
  const attempts = parseNumber(text, locale);
  const isWhole = attempts === undefined || Number.isInteger(attempts);
  return checkNumber(isWhole ? text : 'NaN', bounds, locale);
}

export function checkFirstEventSeconds(text: string, locale?: Locale): string | null {
  return checkNumber(text, { ...routeBounds.firstEventSeconds, default: defaultFirstEventSeconds }, locale);
}

function checkNumber(
  text: string,
  { min, max, default: byDefault }: { min: number; max: number; default: number },
  locale: Locale,
): string | null {
  const value = parseNumber(text, locale);
  if (value === undefined || (value >= min && value <= max)) return null;
  const smallest = editableNumber(String(min), locale);
  return `Enter a number from ${smallest} to ${formatCount(max, locale)}, or nothing for ${byDefault}`;
}

export function checkParameters(text: string): string | null {
  const parameters = parseParameters(text);
  if (parameters === null) return 'Enter a JSON object, such as {"temperature": 0}';
  const bytes = new TextEncoder().encode(JSON.stringify(parameters)).length;
  return bytes > routeBounds.parameterBytes
    ? `The parameters must have at most ${formatCount(routeBounds.parameterBytes)} bytes as JSON`
    : null;
}

/** Returns the list with the item at another place; the same list if there is no such place. */
export function moved<Item>(items: readonly Item[], from: number, to: number): readonly Item[] {
  const item = items[from];
  if (item === undefined || to < 0 || to >= items.length || to === from) return items;
  return items.toSpliced(from, 1).toSpliced(to, 0, item);
}
