import { Notice } from '#dashboard/components/feedback/notice.tsx';
import { outcomeLooks } from '#dashboard/components/request/outcome.ts';
import type { EntryProps } from './entry-props.ts';
import { explainError } from './error-explanations.ts';

/** Why the request was not completed. */
export function Failure({ entry: { outcome, error_code: code } }: EntryProps) {
  if (outcome === 'completed') return null;
  const { sentence, tone } = outcomeLooks[outcome];
  const explanation = code === null ? null : explainError(code);
  return (
    <Notice tone={tone} title={`The request ${sentence}`}>
      {code !== null && (
        <p>
          Error code <strong className="font-medium wrap-anywhere text-text">{code}</strong>
          {explanation && `: ${explanation}`}
        </p>
      )}
    </Notice>
  );
}
