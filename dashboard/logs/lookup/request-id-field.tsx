import { Field } from '@base-ui/react/field';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { LoaderCircle, Search } from 'lucide-react';
import { logEntryQuery } from '#dashboard/api/analytics.ts';
import { ApiError, isNotFound } from '#dashboard/api/client.ts';
import { Form } from '#dashboard/components/form.tsx';
import { useOrganization } from '#dashboard/organization/use-organization.ts';
import { findRequestId } from './request-id.ts';

/** Opens the entry of a request by its id, which the gateway sends with each response. */
export function RequestIdField() {
  const { id: organizationId, entry_retention_days: retentionDays } = useOrganization();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (text: string) => {
      const logId = findRequestId(text) ?? '';
      try {
        await queryClient.fetchQuery(logEntryQuery(organizationId, logId));
      } catch (cause) {
        throw fieldError(cause, retentionDays);
      }
      await navigate({
        to: '/organizations/$organizationId/logs/$logId',
        params: { organizationId, logId },
        search: (search) => search,
        state: { isFromLogs: true },
      });
    },
  });
  return (
    <Form
      fields={['request_id']}
      error={error}
      onSubmit={(values) => mutate(values.request_id)}
      className="w-full sm:w-72"
    >
      <Field.Root
        name="request_id"
        validate={(value) => (findRequestId(String(value)) === null ? 'Enter a request ID: a UUID' : null)}
      >
        <Field.Label className="sr-only">Open request ID</Field.Label>
        <div className="relative">
          {isPending ? (
            <LoaderCircle aria-hidden className="absolute top-2 left-2.5 size-4 animate-spin text-muted" />
          ) : (
            <Search aria-hidden className="pointer-events-none absolute top-2 left-2.5 size-4 text-muted" />
          )}
          <Field.Control
            type="text"
            enterKeyHint="go"
            autoComplete="off"
            spellCheck={false}
            placeholder="Open request ID"
            title="The ID in the response header X-Gateway-Request-Id"
            className="h-8 w-full rounded-md border border-control bg-raised pr-2.5 pl-8 text-base shadow-card placeholder:text-placeholder focus:border-accent focus:outline-2 focus:outline-offset-0 focus:outline-accent/30 data-invalid:border-danger sm:text-[0.8125rem]"
          />
        </div>
        <Field.Error className="mt-1.5 block text-[0.8125rem] text-danger" />
      </Field.Root>
    </Form>
  );
}

/** An error that the form shows at its field. */
function fieldError(cause: unknown, retentionDays: number): ApiError {
  const error = cause instanceof ApiError ? cause : new ApiError(String(cause), 0);
  const message = isNotFound(error)
    ? `There is no log entry with this ID. Entries are kept for ${retentionDays} days.`
    : error.message;
  return new ApiError(message, error.status, 'request_id', error.code);
}
