import { Send } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Button } from '#dashboard/components/button.tsx';
import { Fact } from '#dashboard/components/facts.tsx';
import { Notice } from '#dashboard/components/feedback/notice.tsx';
import { Skeleton } from '#dashboard/components/feedback/skeletons.tsx';
import { EntryCost } from '#dashboard/components/request/entry-cost.tsx';
import { formatCount } from '#dashboard/components/values/number-format.ts';
import { formatExactUsd } from '#dashboard/components/values/usd-format.ts';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { TestEntry } from '#lambdas/accounts/test-request/responses.ts';
import { ConnectProvider } from '../connect-provider.tsx';
import { modelsFor } from '../example-model.ts';
import { ModelPicker, type Models } from './model-picker.tsx';
import { type TestRequestState, useTestRequest } from './use-test-request.ts';

interface TestRequestProps {
  apiKey: string;
  models: Models;
  model: string | null;
  onModelChange: (model: string) => void;
  /** Sends a request as soon as there is a model. */
  sendImmediately?: boolean;
}

/** A first request with a new key: its model, the streamed response, and its log entry. */
export function TestRequest({ apiKey, models, model, onModelChange, sendImmediately }: TestRequestProps) {
  const { id: organizationId } = useOrganization();
  const { state, send } = useTestRequest(organizationId, apiKey);
  const isPending = ['sending', 'thinking', 'streaming'].includes(state.phase);
  const hasSent = useRef(false);
  useEffect(() => {
    if (!sendImmediately || hasSent.current || model === null) return;
    hasSent.current = true;
    void send(model);
  });

  if (models.state === 'failed') return <ModelsFailed error={models.error} onRetry={models.retry} />;
  const chatModels = models.state === 'loaded' ? modelsFor('chat.completions', models.models) : [];
  if (models.state === 'loaded' && chatModels.length === 0) return <NoModels />;
  return (
    <section aria-labelledby="test-request-title" className="flex flex-col gap-2">
      <h3 id="test-request-title" className="font-medium">
        Try it with a model
      </h3>
      <div className="flex flex-col gap-2 sm:flex-row">
        {models.state === 'loaded' ? (
          <ModelPicker models={chatModels} value={model} onValueChange={onModelChange} />
        ) : (
          <div aria-busy="true" className="sm:flex-1">
            <Skeleton className="h-9 w-full" />
            <span className="sr-only">Loading models…</span>
          </div>
        )}
        <Button pending={isPending} disabled={model === null} onClick={() => model !== null && send(model)}>
          <Send aria-hidden />
          Send a test request
        </Button>
      </div>
      <ConnectProvider />
      <div className="overflow-hidden rounded-lg border border-line bg-canvas">
        <ResponseText state={state} />
        <EntryFacts entry={state.entry} />
      </div>
    </section>
  );
}

function ResponseText({ state }: { state: TestRequestState }) {
  const { phase, text, error } = state;
  return (
    <section
      aria-label="Response"
      aria-busy={phase === 'sending' || phase === 'thinking' || phase === 'streaming'}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
      tabIndex={0}
      className="h-24 overflow-y-auto px-4 py-3 focus-visible:-outline-offset-2"
    >
      {phase === 'idle' && <p className="text-muted">The response appears here as it arrives.</p>}
      {phase === 'sending' && <p className="animate-pulse text-muted">Waiting for the model…</p>}
      {phase === 'thinking' && <p className="animate-pulse text-muted">The model is thinking…</p>}
      {text !== '' && <p className="break-words whitespace-pre-wrap">{text}</p>}
      {phase === 'finished' && text === '' && <p className="text-muted">The response has no text.</p>}
      {error && (
        <div role="alert" className="mt-1 text-danger first:mt-0">
          {error.status !== null && (
            <p className="font-medium">The request failed with status {error.status}</p>
          )}
          <p className="break-words">{error.message}</p>
        </div>
      )}
      <span role="status" className="sr-only">
        {phase === 'finished' && 'The response is complete'}
      </span>
    </section>
  );
}

function NoModels() {
  return (
    <Notice tone="neutral" title="No provider with a chat model is configured yet">
      So there is no model for a test request. The operator of this gateway sets a provider’s credential with{' '}
      <code className="font-mono text-[0.8125rem] text-text">npm run admin -- provider set NAME</code>.
    </Notice>
  );
}

function ModelsFailed({ error, onRetry }: { error: Error; onRetry: () => void }) {
  return (
    <Notice
      tone="danger"
      role="alert"
      title="The models could not be loaded"
      action={
        <Button size="small" onClick={onRetry}>
          Try again
        </Button>
      }
    >
      {error.message}
    </Notice>
  );
}

/** The log entry of a test request: what the operator and the cost owner will see of it. */
function EntryFacts({ entry }: { entry: TestRequestState['entry'] }) {
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
  const count = (value: number | null) => formatCount(value ?? 0);
  return `${count(input)} in, ${count(output)} out`;
}

function Cost({ entry }: { entry: TestEntry }) {
  return (
    <EntryCost entry={entry} unreported="Not reported">
      {formatExactUsd(entry.cost_usd.toFixed(12))}
    </EntryCost>
  );
}
