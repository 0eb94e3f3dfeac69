import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { LoaderCircle, Search } from 'lucide-react';
import { useId, useState } from 'react';
import { logEntryQuery } from '#dashboard/api/analytics.ts';
import { isNotFound } from '#dashboard/api/client.ts';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';

/** Opens the entry of a request by its id, which the gateway sends with each response. */
export function RequestIdField() {
  const { id: organizationId, entry_retention_days: retentionDays } = useOrganization();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const search = useSearch({ from: '/shell/organizations/$organizationId/logs' });
  const { mutate, reset, isPending, error } = useMutation({
    mutationFn: async (logId: string) => {
      await queryClient.fetchQuery(logEntryQuery(organizationId, logId));
      await navigate({
        to: '/organizations/$organizationId/logs/$logId',
        params: { organizationId, logId },
        search,
        state: { isFromLogs: true },
      });
    },
  });
  const [text, setText] = useState('');
  const [isInvalid, setInvalid] = useState(false);
  const errorId = useId();
  const message = isInvalid ? 'Enter a request ID: a UUID' : error && messageOf(error, retentionDays);

  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const logId = findRequestId(text);
        setInvalid(logId === null);
        reset();
        if (logId !== null) mutate(logId);
      }}
      className="w-full sm:w-72"
    >
      <div className="relative">
        {isPending ? (
          <LoaderCircle aria-hidden className="absolute top-2 left-2.5 size-4 animate-spin text-muted" />
        ) : (
          <Search aria-hidden className="pointer-events-none absolute top-2 left-2.5 size-4 text-muted" />
        )}
        <input
          type="text"
          aria-label="Open request ID"
          aria-invalid={message ? true : undefined}
          aria-describedby={message ? errorId : undefined}
          enterKeyHint="go"
          autoComplete="off"
          spellCheck={false}
          placeholder="Open request ID"
          title="The ID in the response header X-Gateway-Request-Id"
          value={text}
          onChange={({ target }) => setText(target.value)}
          className="h-8 w-full rounded-md border border-control bg-raised pr-2.5 pl-8 text-base shadow-card placeholder:text-placeholder focus:border-accent focus:outline-2 focus:outline-offset-0 focus:outline-accent/30 aria-invalid:border-danger sm:text-[0.8125rem]"
        />
      </div>
      <p id={errorId} role="alert" className="mt-1.5 text-[0.8125rem] text-danger empty:hidden">
        {message}
      </p>
    </form>
  );
}

function messageOf(error: Error, retentionDays: number): string {
  return isNotFound(error)
    ? `There is no log entry with this ID. Entries are kept for ${retentionDays} days.`
    : error.message;
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;

/** Finds the id in a text, which may be the whole header or a line of a log; `null` without one. */
export function findRequestId(text: string): string | null {
  return uuid.exec(text)?.[0].toLowerCase() ?? null;
}
