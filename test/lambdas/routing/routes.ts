/** Arbitrary routes, as the dashboard and the command line may pass them. */
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { type Route, type RouteTarget, routeBounds } from '#lambdas/routing/route.ts';
import { fc } from '#test/support/fast-check.ts';

const modelName = fc.stringMatching(/^[a-z0-9][a-z0-9.:@/-]{0,30}$/);
const provider = fc.constantFrom('openai', 'anthropic', 'bedrock', 'google', 'mistral');
const parameterName = fc.constantFrom('temperature', 'reasoning_effort', 'response_format', '__proto__', 'é');

/** Any JSON, with numbers and text that attributes would not keep. */
const parameters: fc.Arbitrary<JsonObject> = fc
  .dictionary(parameterName, fc.jsonValue({ maxDepth: 3 }), { maxKeys: 3 })
  .map((values) => JSON.parse(JSON.stringify(values)) as JsonObject)
  .filter((values) => JSON.stringify(values).length <= routeBounds.parameterBytes / 4);

const { min, max } = routeBounds.firstEventSeconds;
const target = fc.record(
  {
    model: fc.tuple(provider, modelName).map((parts) => parts.join('/')),
    parameters,
    first_event_seconds: fc.double({ min, max, noNaN: true }),
  },
  { requiredKeys: ['model'] },
);
const targets = fc.uniqueArray(target, {
  minLength: 1,
  maxLength: routeBounds.targets,
  selector: ({ model }) => model,
});
const weight = fc.oneof(fc.constant(0), fc.double({ min: 0.001, max: routeBounds.weight, noNaN: true }));
const weights = fc.array(fc.option(weight), {
  minLength: routeBounds.targets,
  maxLength: routeBounds.targets,
});
const attempts = fc.option(fc.integer({ min: 1, max: routeBounds.attempts }));

export const anyRoute: fc.Arbitrary<Route> = fc
  .record({
    strategy: fc.constantFrom('order' as const, 'weight' as const, 'price' as const),
    targets,
    weights,
    attempts,
  })
  .map(({ strategy, targets, weights, attempts }) => ({
    strategy,
    targets: withWeights(targets, strategy === 'weight' ? weights : []) as [RouteTarget],
    ...(attempts !== null && { attempts }),
  }))
  .filter(({ targets }) => targets.some(({ weight }) => weight !== 0));

function withWeights(targets: readonly RouteTarget[], weights: readonly (number | null)[]): RouteTarget[] {
  return targets.map(({ model, ...target }, index) => {
    const weight = weights[index] ?? null;
    return { model, ...(weight !== null && { weight }), ...target };
  });
}
