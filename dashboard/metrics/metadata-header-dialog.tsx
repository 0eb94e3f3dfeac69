import type { ReactNode } from 'react';
import { CopyField } from '#dashboard/components/copying.tsx';
import { Dialog } from '#dashboard/components/overlay/dialog.tsx';

export type MetadataGroup = 'prompt_id' | 'session_id';

interface HeaderDialogProps {
  group: MetadataGroup;
  open: boolean;
  onClose: () => void;
}

interface Explanation {
  title: string;
  text: ReactNode;
  header: string;
  /** An example. */
  value: string;
}

const explanations: Record<MetadataGroup, Explanation> = {
  prompt_id: {
    title: 'Group requests by prompt',
    text: 'Send this header with each request, with a name of your own for the prompt, such as that of its template and version.',
    header: 'gateway-prompt-id',
    value: 'support-reply-v2',
  },
  session_id: {
    title: 'Group requests by session',
    text: 'Send this header with each request, with the same value for all requests of a conversation or an agent’s run.',
    header: 'gateway-session-id',
    value: 'conversation-4711',
  },
};

export function HeaderDialog({ group, open, onClose }: HeaderDialogProps) {
  const { title, text, header, value } = explanations[group];
  return (
    <Dialog open={open} onOpenChange={(isOpen) => !isOpen && onClose()} title={title} description={text}>
      <div className="flex flex-col gap-4">
        <CopyField label="curl" text={`-H "${header}: ${value}"`} />
        <CopyField label="OpenAI client in Python" text={`extra_headers={"${header}": "${value}"}`} />
        <CopyField label="OpenAI client in TypeScript" text={`{ headers: { "${header}": "${value}" } }`} />
        <p className="text-[0.8125rem] text-muted">
          The value is stored with the log entry, and is not sent to the provider. Requests that were sent
          without it stay in the group without a value.
        </p>
      </div>
    </Dialog>
  );
}
