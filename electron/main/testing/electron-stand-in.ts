import { EventEmitter } from 'node:events';
import type * as Electron from 'electron';

/**
 * Electron's main module as far as this app uses it, for tests where the runtime can't be had. Each part is typed
 * against Electron's own declarations, so that a signature that changes there fails here; what it does is the documented
 * behaviour, made visible. A test replaces the module by `vi.mock('electron', async () => (await import(…)).createElectron())`.
 */
export type ElectronStandIn = ReturnType<typeof createElectron>;

/** A preventable event as Electron's emitters hand it out. */
export function preventable<P extends object>(more: P): P & { preventDefault(): void; readonly defaultPrevented: boolean } {
  let prevented = false;
  return {
    ...more,
    preventDefault: () => void (prevented = true),
    get defaultPrevented() {
      return prevented;
    },
  };
}

type Methods<T, K extends keyof T> = Pick<T, K>;

export class AppStandIn extends EventEmitter implements Methods<Electron.App, 'quit' | 'getVersion' | 'whenReady' | 'requestSingleInstanceLock' | 'enableSandbox'> {
  quits = 0;
  isFirstInstance = true;
  isSandboxed = false;
  readonly ready = Promise.withResolvers<void>();
  enableSandbox = (): void => void (this.isSandboxed = true);
  getVersion = (): string => '0.0.0';
  requestSingleInstanceLock = (): boolean => this.isFirstInstance;
  whenReady = (): Promise<void> => this.ready.promise;
  /** As Electron: everybody may object; only when nobody does it ends. */
  quit = (): void => {
    const event = preventable({});
    this.emit('before-quit', event);
    if (!event.defaultPrevented) this.quits += 1;
  };
}

export class WebContentsStandIn extends EventEmitter implements Methods<Electron.WebContents, 'send' | 'isDestroyed' | 'reload' | 'setWindowOpenHandler'> {
  readonly sent: { readonly channel: string; readonly payload: unknown }[] = [];
  reloads = 0;
  isGone = false;
  windowOpenHandler: Parameters<Electron.WebContents['setWindowOpenHandler']>[0] | undefined;
  isDestroyed = (): boolean => this.isGone;
  reload = (): void => void (this.reloads += 1);
  setWindowOpenHandler: Electron.WebContents['setWindowOpenHandler'] = (handler) => void (this.windowOpenHandler = handler);
  send = (channel: string, payload: unknown): void => {
    // As Electron does.
    if (this.isGone) throw new TypeError('Object has been destroyed');
    this.sent.push({ channel, payload });
  };
}

type WindowMethods = 'loadURL' | 'show' | 'focus' | 'isFocused' | 'isMinimized' | 'restore' | 'isMaximized' | 'maximize' | 'getNormalBounds';

function createWindowClass(app: AppStandIn) {
  return class BrowserWindowStandIn extends EventEmitter implements Methods<Electron.BrowserWindow, WindowMethods> {
    static windows: BrowserWindowStandIn[] = [];
    static getAllWindows = (): BrowserWindowStandIn[] => [...this.windows];
    readonly webContents = new WebContentsStandIn();
    readonly shown: string[] = [];
    url = '';
    readonly options: Electron.BrowserWindowConstructorOptions;
    constructor(options: Electron.BrowserWindowConstructorOptions) {
      super();
      this.options = options;
      BrowserWindowStandIn.windows.push(this);
      app.emit('web-contents-created', {}, this.webContents);
    }
    loadURL = async (url: string): Promise<void> => void (this.url = url);
    show = (): void => void this.shown.push('show');
    focus = (): void => void this.shown.push('focus');
    restore = (): void => void this.shown.push('restore');
    maximize = (): void => void this.shown.push('maximize');
    isFocused = (): boolean => this.hasFocus;
    isMinimized = (): boolean => this.isDown;
    isMaximized = (): boolean => this.shown.includes('maximize');
    getNormalBounds = (): Electron.Rectangle => this.bounds;
    hasFocus = true;
    isDown = false;
    bounds: Electron.Rectangle = { x: 10, y: 20, width: 900, height: 700 };
    /** As a person who closes it: its contents are destroyed, and the app hears when it was the last one. */
    close(): void {
      this.emit('close', preventable({}));
      this.webContents.isGone = true;
      this.webContents.emit('destroyed');
      BrowserWindowStandIn.windows = BrowserWindowStandIn.windows.filter((window) => window !== this);
      if (BrowserWindowStandIn.windows.length === 0) app.emit('window-all-closed');
    }
  };
}

type Handler = Parameters<Electron.IpcMain['handle']>[1];

export class UtilityProcessStandIn extends EventEmitter implements Methods<Electron.UtilityProcess, 'kill' | 'postMessage'> {
  readonly posted: unknown[] = [];
  isOver = false;
  kills = 0;
  readonly entry: string;
  readonly serviceName: string | undefined;
  constructor(entry: string, serviceName: string | undefined) {
    super();
    this.entry = entry;
    this.serviceName = serviceName;
  }
  kill = (): boolean => {
    this.kills += 1;
    return !this.isOver;
  };
  postMessage = (message: unknown): void => {
    // What crashed the main process in some versions.
    if (this.isOver) throw new Error('posted to a process that has ended');
    this.posted.push(structuredClone(message));
  };
  exit(code: number): void {
    this.isOver = true;
    this.emit('exit', code);
  }
}

export function createElectron() {
  const app = new AppStandIn();
  const BrowserWindow = createWindowClass(app);
  const handlers = new Map<string, Handler>();
  const schemes: Electron.CustomScheme[] = [];
  const served = new Map<string, (request: Request) => Response | Promise<Response>>();
  const children: UtilityProcessStandIn[] = [];
  const opened: string[] = [];
  const permissions: { request?: unknown; check?: unknown; device?: unknown } = {};
  const answers: { open: Electron.OpenDialogReturnValue; message: number } = { open: { canceled: true, filePaths: [] }, message: 0 };
  const questions: Electron.MessageBoxOptions[] = [];
  const openDialogs: Electron.OpenDialogOptions[] = [];
  const menus: Electron.MenuItemConstructorOptions[][] = [];
  const blockers = new Map<number, string>();
  const notifications: NotificationStandIn[] = [];
  let lastBlocker = 0;

  class NotificationStandIn extends EventEmitter implements Methods<Electron.Notification, 'show'> {
    static isSupported: typeof Electron.Notification.isSupported = () => true;
    readonly options: Electron.NotificationConstructorOptions;
    constructor(options: Electron.NotificationConstructorOptions) {
      super();
      this.options = options;
    }
    show = (): void => void notifications.push(this);
  }

  const ipcMain = {
    handle: (channel: string, listener: Handler): void => {
      if (handlers.has(channel)) throw new Error(`Attempted to register a second handler for '${channel}'`);
      handlers.set(channel, listener);
    },
  } satisfies Partial<Electron.IpcMain>;
  const protocol = {
    registerSchemesAsPrivileged: (given: Electron.CustomScheme[]): void => void schemes.push(...given),
    handle: (scheme: string, handler: (request: Request) => Response | Promise<Response>): void => void served.set(scheme, handler),
  } satisfies Partial<Electron.Protocol>;
  const utilityProcess = {
    fork(entry: string, _args?: string[], options?: Electron.ForkOptions) {
      const child = new UtilityProcessStandIn(entry, options?.serviceName);
      children.push(child);
      return child;
    },
  };
  const dialog = {
    async showOpenDialog(...given: unknown[]) {
      openDialogs.push(given.at(-1) as Electron.OpenDialogOptions);
      return answers.open;
    },
    async showMessageBox(...given: unknown[]) {
      questions.push(given.at(-1) as Electron.MessageBoxOptions);
      return { response: answers.message, checkboxChecked: false };
    },
  } satisfies Partial<Electron.Dialog>;
  const powerSaveBlocker = {
    start: (type: 'prevent-app-suspension' | 'prevent-display-sleep'): number => {
      lastBlocker += 1;
      blockers.set(lastBlocker, type);
      return lastBlocker;
    },
    stop: (id: number): boolean => blockers.delete(id),
  } satisfies Partial<Electron.PowerSaveBlocker>;
  const display = { id: 1, workArea: { x: 0, y: 0, width: 1920, height: 1040 } };
  const screen = { getPrimaryDisplay: () => display, getAllDisplays: () => [display] };
  const defaultSession = {
    setPermissionRequestHandler: (handler: Parameters<Electron.Session['setPermissionRequestHandler']>[0]): void => void (permissions.request = handler),
    setPermissionCheckHandler: (handler: Parameters<Electron.Session['setPermissionCheckHandler']>[0]): void => void (permissions.check = handler),
    setDevicePermissionHandler: (handler: Parameters<Electron.Session['setDevicePermissionHandler']>[0]): void => void (permissions.device = handler),
  } satisfies Partial<Electron.Session>;
  const safeStorage = {
    isAsyncEncryptionAvailable: async (): Promise<boolean> => true,
    getSelectedStorageBackend: (): 'gnome_libsecret' => 'gnome_libsecret',
    encryptStringAsync: async (text: string): Promise<Buffer> => Buffer.from(`os:${text}`).reverse(),
    decryptStringAsync: async (data: Buffer): Promise<Electron.DecryptStringAsyncReturnValue> => {
      const text = Buffer.from(data).reverse().toString();
      if (!text.startsWith('os:')) throw new Error('Error while decrypting the ciphertext');
      return { result: text.slice(3), shouldReEncrypt: false };
    },
  } satisfies Partial<Electron.SafeStorage>;

  return {
    app,
    BrowserWindow,
    ipcMain,
    protocol,
    utilityProcess,
    dialog,
    Notification: NotificationStandIn,
    Menu: {
      buildFromTemplate: (template: Electron.MenuItemConstructorOptions[]) => template,
      setApplicationMenu: (menu: Electron.MenuItemConstructorOptions[]): void => void menus.push(menu),
    },
    powerMonitor: new EventEmitter(),
    powerSaveBlocker,
    screen,
    session: { defaultSession },
    safeStorage,
    shell: { openExternal: async (url: string): Promise<void> => void opened.push(url) } satisfies Partial<Electron.Shell>,
    /** What a test may look at and set. */
    seen: { handlers, schemes, served, children, opened, permissions, questions, openDialogs, menus, blockers, notifications },
    answers,
  };
}
