import { Button as BaseButton } from '@base-ui/react/button';
import { LoaderCircle } from 'lucide-react';
import type { ComponentProps, MouseEvent, ReactNode } from 'react';
import { classNames } from './class-names.ts';
import { useSubmitGuard } from './forms/submit-guard.ts';

/** `danger-quiet` leads to a confirmation, `danger` is one. */
type Variant = 'primary' | 'secondary' | 'danger' | 'danger-quiet';
type Size = 'medium' | 'small' | 'large';

interface Look {
  variant?: Variant;
  size?: Size;
}

const variants: Record<Variant, string> = {
  primary: 'bg-primary text-on-primary shadow-card hover:not-data-disabled:bg-primary-hover',
  secondary: 'border border-control bg-raised text-text shadow-card hover:not-data-disabled:bg-hover',
  danger: 'bg-danger-solid text-white shadow-card hover:not-data-disabled:bg-danger-solid-hover',
  'danger-quiet':
    'border border-control bg-raised text-danger shadow-card hover:not-data-disabled:border-danger-line hover:not-data-disabled:bg-danger-soft',
};

const sizes: Record<Size, string> = {
  small: 'h-8 gap-1.5 rounded-md px-2.5 text-[0.8125rem]',
  medium: 'h-9 gap-2 rounded-lg px-3.5',
  large: 'h-11 gap-2 rounded-lg px-4 text-[0.9375rem]',
};

/** The look of a button, for links. */
export function buttonClasses({ variant = 'secondary', size = 'medium' }: Look = {}): string {
  return classNames(
    'relative inline-flex shrink-0 items-center justify-center font-medium whitespace-nowrap transition-colors select-none',
    'data-disabled:cursor-default data-disabled:opacity-50 [&_svg]:size-4 [&_svg]:shrink-0',
    variants[variant],
    sizes[size],
  );
}

interface ButtonProps extends Look, Omit<ComponentProps<'button'>, 'className' | 'style' | 'onClick'> {
  /** Shows a spinner and ignores presses, but keeps the focus. */
  pending?: boolean;
  /** Further presses are ignored until a returned promise has settled. */
  onClick?: (event: MouseEvent<HTMLButtonElement>) => unknown;
  children: ReactNode;
}

export function Button({
  variant,
  size,
  pending = false,
  disabled,
  onClick,
  children,
  ...props
}: ButtonProps) {
  const run = useSubmitGuard();
  return (
    <BaseButton
      {...props}
      onClick={onClick && ((event: MouseEvent<HTMLButtonElement>) => run(() => onClick(event)))}
      disabled={disabled || pending}
      focusableWhenDisabled={pending}
      aria-busy={pending || undefined}
      className={buttonClasses({ variant, size })}
    >
      {pending && <LoaderCircle aria-hidden className="absolute animate-spin" />}
      <span className={classNames('inline-flex items-center gap-[inherit]', pending && 'opacity-0')}>
        {children}
      </span>
    </BaseButton>
  );
}

/** A button that looks like a link, for less important actions. */
export function LinkButton({ onClick, children, ...props }: Omit<ButtonProps, 'pending' | keyof Look>) {
  const run = useSubmitGuard();
  return (
    <BaseButton
      {...props}
      onClick={onClick && ((event: MouseEvent<HTMLButtonElement>) => run(() => onClick(event)))}
      className="min-h-6 rounded-sm font-medium text-accent underline-offset-3 hover:underline data-disabled:opacity-60"
    >
      {children}
    </BaseButton>
  );
}

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'className' | 'style'> {
  label: string;
  children: ReactNode;
}

/** A square button with an icon only. */
export function IconButton({ label, children, ...props }: IconButtonProps) {
  return (
    <BaseButton
      {...props}
      aria-label={label}
      className={
        'inline-flex size-8 shrink-0 items-center justify-center rounded-md text-muted transition-colors hover:bg-hover hover:text-text aria-disabled:cursor-default aria-disabled:opacity-50 aria-disabled:hover:bg-transparent aria-disabled:hover:text-muted [&_svg]:size-4'
      }
    >
      {children}
    </BaseButton>
  );
}
