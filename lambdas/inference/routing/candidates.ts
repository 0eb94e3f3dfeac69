/** Finds the target of a route to which a request is sent next. */
import { GatewayError } from '#lambdas/platform/errors.ts';
import { toGatewayError } from '#lambdas/platform/http/error-response.ts';
import type { SkippedTarget, SkipReason } from '#lambdas/request-log/fields/skipped-target.ts';
import type { Route, RouteTarget } from '#lambdas/routing/route.ts';
import type {
  PrepareDependencies,
  PreparedExchange,
  prepareAttempt,
  ReadyAttempt,
} from '../exchange/attempt.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { ResolvedModel } from '../providers/registry.ts';
import type { RouteDependencies } from './dependencies.ts';
import type { FailingTargets } from './failing-targets.ts';
import { targetRequestText } from './target-request.ts';

/** A target that can serve the request, which is prepared for it. */
export interface Candidate {
  kind: 'ready';
  target: RouteTarget;
  /** The attempt's. */
  exchange: Exchange;
  ready: ReadyAttempt;
}

/** A target that cannot serve the request, with the error that a request to it alone would get. */
export interface UnsuitableTarget {
  skipped: SkippedTarget;
  error: GatewayError;
}

/** A limit has refused the attempt, or the gateway itself has failed, so that no further target is tried. */
interface RefusedAttempt {
  kind: 'refused';
  exchange: Exchange;
  error: unknown;
}

export interface Candidates {
  /** The next target that can serve the request; `null` if none is left. */
  next(request: NextAttempt): Promise<Candidate | RefusedAttempt | null>;
  /** Whether a target is left that can serve the request, unless a limit refuses it. */
  hasSuitable(request: Pick<NextAttempt, 'startExchange'>): Promise<boolean>;
  readonly isEmpty: boolean;
  readonly unsuitable: readonly UnsuitableTarget[];
  /** The targets that the request was not sent to, as they are logged. */
  skipped(): readonly SkippedTarget[] | null;
}

export interface NextAttempt {
  /** A copy of the request's exchange, in which the attempt is recorded. */
  startExchange(skippedTargets: readonly SkippedTarget[] | null): Exchange;
  /** False for a further attempt, which the rate limits have admitted with the first one. */
  isFirst: boolean;
  /** Only for a target with a larger context than this model. */
  contextBeyond: ResolvedModel | null;
}

interface CandidateOptions {
  dependencies: RouteDependencies;
  /** In the order in which they are tried. */
  targets: readonly RouteTarget[];
  route: Pick<Route, 'targets'>;
  /** The body of the request. */
  text: string;
  failing: FailingTargets;
}

export function createCandidates({
  dependencies,
  targets,
  route,
  text,
  failing,
}: CandidateOptions): Candidates {
  const { steps } = dependencies;
  const waiting = [...targets];
  /** Failing targets, which are tried when no other is left. */
  const deferred: RouteTarget[] = [];
  const unsuitable: UnsuitableTarget[] = [];
  const skipped = (): SkippedTarget[] | null => {
    const all = [
      ...unsuitable.map(({ skipped }) => skipped),
      ...deferred.map(({ model }) => ({ target: model, reason: 'failing' as const, param: null })),
    ];
    return all.length === 0 ? null : all;
  };
  const takeNext = (): RouteTarget | undefined => {
    for (let target = waiting.shift(); target !== undefined; target = waiting.shift()) {
      if (!failing.isFailing(target.model, dependencies.now().getTime())) return target;
      deferred.push(target);
    }
    return deferred.shift();
  };
  /** Calls `use` with the next target that can serve the request. If it throws an error about the target, the next one follows. */
  const firstSuitable = async <Result>(
    { startExchange, contextBeyond }: Pick<NextAttempt, 'startExchange' | 'contextBeyond'>,
    use: (prepared: Omit<Candidate, 'kind'>) => Promise<Result>,
  ): Promise<Result | RefusedAttempt | null> => {
    for (let target = takeNext(); target !== undefined; target = takeNext()) {
      const exchange = startExchange(skipped());
      try {
        const ready = await prepareTarget({ ...dependencies, prepare: steps.prepare }, exchange, {
          target,
          route,
          text,
        });
        if (contextBeyond !== null) await requireLargerContext(ready.resolved, contextBeyond);
        return await use({ target, exchange, ready });
      } catch (error) {
        const reason = skipReasonOf(error);
        if (reason === null) {
          // It has not been tried.
          waiting.unshift(target);
          return { kind: 'refused', exchange, error };
        }
        unsuitable.push({ skipped: { target: target.model, ...reason }, error: toGatewayError(error) });
      }
    }
    return null;
  };
  return {
    next: (request) =>
      firstSuitable(request, async ({ target, exchange, ready }): Promise<Candidate> => {
        await steps.admit(dependencies, exchange, ready, { budgetsOnly: !request.isFirst });
        failing.tried(target.model, dependencies.now().getTime());
        return { kind: 'ready', target, exchange, ready };
      }),
    async hasSuitable({ startExchange }) {
      const found = await firstSuitable({ startExchange, contextBeyond: null }, async ({ target }) => target);
      if (found === null || 'kind' in found) return false;
      waiting.unshift(found);
      return true;
    },
    get isEmpty() {
      return waiting.length + deferred.length === 0;
    },
    unsuitable,
    skipped,
  };
}

export interface TargetDependencies extends PrepareDependencies, Pick<RouteDependencies, 'providers'> {
  prepare: typeof prepareAttempt;
}

/** Throws a `GatewayError` for a target that cannot serve the request: see `skipReasonOf`. */
export async function prepareTarget(
  dependencies: TargetDependencies,
  exchange: PreparedExchange,
  { target, route, text }: { target: RouteTarget; route: Pick<Route, 'targets'>; text: string },
): Promise<ReadyAttempt> {
  const { operation } = exchange;
  if (operation.name === 'embeddings') requireSameVectors(target, route.targets[0]);
  const resolved = dependencies.providers.resolve(target.model);
  const ownText = targetRequestText(text, target);
  const parsed = operation.parse(ownText);
  return dependencies.prepare(dependencies, exchange, { text: ownText, parsed, resolved });
}

/** Vectors of different models or lengths cannot be compared, so that a fallback to one would spoil an index. */
function requireSameVectors(target: RouteTarget, first: RouteTarget): void {
  const [own, expected] = [target, first].map(({ model, parameters }) => {
    const name = model.slice(model.lastIndexOf('/') + 1);
    return JSON.stringify([name, parameters?.dimensions ?? null]);
  });
  if (own === expected) return;
  const message = `The embeddings of ${target.model} cannot be compared with those of ${first.model}, the first target of the route`;
  throw new UnsuitableTargetError('different_model', message);
}

/** The target could serve the request alone, but not in place of another one. */
class UnsuitableTargetError extends GatewayError {
  readonly reason: SkipReason;

  constructor(reason: SkipReason, message: string) {
    super('no_suitable_target', { param: 'model', message });
    this.reason = reason;
  }
}

async function requireLargerContext(own: ResolvedModel, other: ResolvedModel): Promise<void> {
  const { findContextWindow } = await import('#lambdas/pricing/table/context-windows.ts');
  const [ownTokens, otherTokens] = [own, other].map(({ provider, model }) =>
    findContextWindow(provider.name, model),
  );
  if (ownTokens != null && otherTokens != null && ownTokens > otherTokens) return;
  const message = `The model ${own.model} is not known to take longer requests than ${other.model}`;
  throw new UnsuitableTargetError('context_too_small', message);
}

/** `null` for an error that is not about the target. */
export function skipReasonOf(error: unknown): Omit<SkippedTarget, 'target'> | null {
  if (error instanceof UnsuitableTargetError) return { reason: error.reason, param: null };
  if (!(error instanceof GatewayError)) return null;
  switch (error.code) {
    case 'provider_not_configured':
      return { reason: 'not_configured', param: null };
    case 'model_not_found':
      return { reason: 'unknown_model', param: null };
    case 'model_not_priced':
      return { reason: 'not_priced', param: null };
    case 'invalid_request_error':
    case 'unsupported_parameter':
    // Such as a response to be continued that another provider keeps.
    case 'not_found':
      return { reason: 'unsupported', param: error.param };
    default:
      return null;
  }
}
