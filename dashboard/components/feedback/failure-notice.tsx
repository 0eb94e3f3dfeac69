import { ApiError } from '#dashboard/api/client.ts';
import { Button } from '../button.tsx';
import { CopyButton } from '../copying.tsx';
import { useFailures } from './failures.ts';
import { Notice } from './notice.tsx';

/** One notice for all parts of a view that could not be loaded, if there are several. */
export function FailureNotice() {
  const failures = useFailures();
  const [first] = failures;
  if (first === undefined || failures.length < 2) return null;
  return (
    <div className="mt-6">
      <Notice
        tone="danger"
        role="alert"
        title={`${failures.length} parts of this page could not be loaded`}
        action={
          <Button
            size="small"
            pending={failures.some(({ isFetching }) => isFetching)}
            onClick={() => {
              for (const { retry } of failures) retry();
            }}
          >
            Try again
          </Button>
        }
      >
        <p>{first.error.message}</p>
        <RequestId error={first.error} />
      </Notice>
    </div>
  );
}

/** The id by which the operator finds the failed call in the logs. Nothing if there was no response. */
export function RequestId({ error }: { error: Error }) {
  if (!(error instanceof ApiError) || error.requestId === null) return null;
  return (
    <span className="mt-1 inline-flex max-w-full items-center gap-1 text-[0.8125rem]">
      Request ID:
      <code className="min-w-0 font-mono text-xs break-all">{error.requestId}</code>
      <CopyButton label="Copy request ID" text={error.requestId} />
    </span>
  );
}
