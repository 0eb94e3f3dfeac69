import { useNavigate, useSearch } from '@tanstack/react-router';
import { LoaderCircle, Search } from 'lucide-react';
import { useId, useState } from 'react';
import { LinkButton } from '#dashboard/components/button.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { useRange } from '#dashboard/range/range-bar.tsx';
import { pausedText, searchingText } from './search-text.ts';
import { type SearchState, useRequestSearch } from './use-request-search.ts';

/** Opens the entry of a request by its id, that of its response or that which the provider gave it. */
export function RequestIdField() {
  const { id: organizationId } = useOrganization();
  const navigate = useNavigate();
  const search = useSearch({ from: '/shell/organizations/$organizationId/logs' });
  const { bounds } = useRange();
  const { state, find, stop } = useRequestSearch(organizationId, bounds, (logId) =>
    navigate({
      to: '/organizations/$organizationId/logs/$logId',
      params: { organizationId, logId },
      search,
      state: { isFromLogs: true },
    }),
  );
  const [text, setText] = useState('');
  const messageId = useId();
  const isRefused = state.step === 'invalid' || state.step === 'failed' || state.step === 'missing';

  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        find(text);
      }}
      className="w-full sm:w-72"
    >
      <div className="relative">
        {state.step === 'searching' ? (
          <LoaderCircle aria-hidden className="absolute top-2 left-2.5 size-4 animate-spin text-muted" />
        ) : (
          <Search aria-hidden className="pointer-events-none absolute top-2 left-2.5 size-4 text-muted" />
        )}
        <input
          type="text"
          aria-label="Find a request by ID"
          aria-invalid={isRefused ? true : undefined}
          aria-describedby={messageId}
          enterKeyHint="go"
          autoComplete="off"
          spellCheck={false}
          placeholder="Find by ID"
          title="The ID in the response, such as chatcmpl-…, resp_… or msg_…, in its header X-Gateway-Request-Id, or the provider’s request ID"
          value={text}
          onChange={({ target }) => setText(target.value)}
          className="h-8 w-full rounded-md border border-control bg-raised pr-2.5 pl-8 text-base shadow-card placeholder:text-placeholder focus:border-accent focus:outline-2 focus:outline-offset-0 focus:outline-accent/30 aria-invalid:border-danger sm:text-[0.8125rem]"
        />
      </div>
      <div id={messageId} className="mt-1.5 text-[0.8125rem] empty:hidden">
        <SearchMessage state={state} onStop={stop} />
      </div>
    </form>
  );
}

function SearchMessage({ state, onStop }: { state: SearchState; onStop: () => void }) {
  const { entry_retention_days: retentionDays } = useOrganization();
  const { timeZone } = useRange();
  switch (state.step) {
    case 'idle':
      return null;
    case 'invalid':
      return (
        <p role="alert" className="text-danger">
          Enter the ID of a request or its response
        </p>
      );
    case 'failed':
      return (
        <p role="alert" className="text-danger">
          {state.error.message}
        </p>
      );
    case 'searching':
      // Most searches end at once.
      if (state.searchedBackTo === null) return null;
      return (
        <p className="flex flex-wrap gap-x-3 text-muted">
          <span role="status">{searchingText(state.searchedBackTo, timeZone)}</span>
          <LinkButton onClick={onStop}>Stop</LinkButton>
        </p>
      );
    case 'paused':
      return (
        <p className="flex flex-wrap gap-x-3 text-muted">
          <span role="status">{pausedText(state.searchedBackTo, timeZone)}</span>
          <LinkButton onClick={state.resume}>Continue</LinkButton>
        </p>
      );
    case 'missing':
      return (
        <p role="alert" className="text-danger">
          {state.searchAll === null
            ? `There is no log entry with this ID. Entries are kept for ${retentionDays} days.`
            : 'No request of this range has this ID. '}
          {state.searchAll !== null && (
            <LinkButton onClick={state.searchAll}>Search all {retentionDays} days</LinkButton>
          )}
        </p>
      );
    default:
      return state satisfies never;
  }
}
