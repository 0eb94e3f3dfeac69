import { Check, Copy } from 'lucide-react';
import { IconButton } from './button.tsx';
import { useCopying } from './copying.ts';

/** @param label such as "Copy user ID" */
export function CopyButton({ label, text }: { label: string; text: string }) {
  const { copied, copy } = useCopying(text);
  return (
    <>
      <IconButton label={label} onClick={copy}>
        {copied ? <Check aria-hidden className="text-success" /> : <Copy aria-hidden />}
      </IconButton>
      <span role="status" className="sr-only">
        {copied && 'Copied'}
      </span>
    </>
  );
}
