import { Fact } from '#dashboard/components/facts.tsx';
import { EntryCost } from '#dashboard/components/request/entry-cost.tsx';
import { formatExactUsd } from '#dashboard/components/values/usd-format.ts';
import type { TestEntry } from './test-entry.ts';
import type { TestRequestState } from './use-test-request.ts';

/** The log entry of a test request: what the operator and the cost owner will see of it. */
export function EntryFacts({ entry }: { entry: TestRequestState['entry'] }) {
  const loaded = typeof entry === 'object' ? entry : null;
  return (
    <div className="border-t border-line bg-surface px-4 py-2.5">
      <dl
        aria-label="Log entry"
        aria-busy={entry === 'loading' || undefined}
        className="grid grid-cols-2 gap-x-4 gap-y-2 sm:grid-cols-[2fr_1.25fr_2fr_1.5fr_1fr]"
      >
        <Fact look="compact" label="Model" wide>
          {loaded?.model}
        </Fact>
        <Fact look="compact" label="Provider">
          {loaded && (loaded.provider ?? 'None')}
        </Fact>
        <Fact look="compact" label="Tokens">
          {loaded && tokens(loaded)}
        </Fact>
        <Fact look="compact" label="Cost">
          {loaded && <Cost entry={loaded} />}
        </Fact>
        <Fact look="compact" label="Latency">
          {loaded && `${(loaded.latency_ms / 1000).toFixed(2)} s`}
        </Fact>
      </dl>
      <p role="status" className="sr-only">
        {loaded && 'The log entry is there'}
      </p>
      {entry === 'missing' && (
        <p className="mt-2 text-[0.8125rem] text-muted">
          The log entry is not there yet. It usually follows within seconds.
        </p>
      )}
    </div>
  );
}

function tokens({ input_tokens: input, output_tokens: output }: TestEntry): string {
  if (input === null && output === null) return 'Not reported';
  const count = (value: number | null) => (value ?? 0).toLocaleString();
  return `${count(input)} in, ${count(output)} out`;
}

function Cost({ entry }: { entry: TestEntry }) {
  return (
    <EntryCost entry={entry} unreported="Not reported">
      {formatExactUsd(entry.cost_usd.toFixed(12))}
    </EntryCost>
  );
}
