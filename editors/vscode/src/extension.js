// Starts `stormproof lsp`, which does the work, and opens files in the studio.
const { ViewColumn, commands, window, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");
const { WebSocket } = require("ws");
const { connect, pageOf, startStudio } = require("./studio");

let client;

const command = () => workspace.getConfiguration("stormproof").get("command");

// The file of the editor, saved: the studio reads it from disk. Null where there is none.
async function currentFile() {
  const document = window.activeTextEditor?.document;
  if (document?.languageId !== "storm") return null;
  // The settings of a workspace may call any file a .storm file, and the command runs `file.py:name`.
  if (!document.fileName.endsWith(".storm")) {
    window.showInformationMessage("The name of the file must end in .storm.");
    return null;
  }
  if (document.isUntitled || !(await document.save())) {
    window.showInformationMessage("Save the file first: the studio opens it from disk.");
    return null;
  }
  return document.fileName;
}

// In a panel beside the text. The server ends with the panel.
async function openInStudio(folder) {
  const file = await currentFile();
  if (file === null) return;
  let studio;
  try {
    studio = await startStudio(command(), file, folder);
  } catch (problem) {
    window.showErrorMessage(`The studio cannot be started: ${problem.message}. Install it with: pip install 'stormproof[studio]', or set stormproof.command.`);
    return;
  }
  const panel = window.createWebviewPanel("stormproof.studio", `Studio: ${file.split(/[\\/]/).pop()}`, ViewColumn.Beside,
    { enableScripts: true, retainContextWhenHidden: true, localResourceRoots: [] });
  let link = null;
  panel.onDidDispose(() => {
    link?.close();
    studio.process.kill();
  });
  panel.webview.onDidReceiveMessage((message) => {
    if (message.open) {
      link?.close();
      link = connect(studio, WebSocket, (said) => panel.webview.postMessage({ said }), () => panel.webview.postMessage({ closed: true }));
    } else if (typeof message.say === "string") link?.say(message.say);
  });
  panel.webview.html = await pageOf(studio);
}

async function openInBrowser(folder) {
  const file = await currentFile();
  if (file === null) return;
  // No shell in between: the name of the file may contain anything.
  window.createTerminal({ name: "stormproof studio", shellPath: command(), shellArgs: ["studio", file], cwd: folder }).show();
}

exports.activate = async (context) => {
  // What is started is started in the folder of the extension, not in that of the workspace.
  const folder = context.extensionPath;
  context.subscriptions.push(commands.registerCommand("stormproof.openInStudio", () => openInStudio(folder)));
  context.subscriptions.push(commands.registerCommand("stormproof.openInBrowser", () => openInBrowser(folder)));
  const server = { command: command(), args: ["lsp"], options: { cwd: folder } };
  client = new LanguageClient("stormproof", "stormproof", server, { documentSelector: [{ language: "storm" }] });
  try {
    await client.start();
  } catch {
    window.showErrorMessage(`'${command()} lsp' cannot be started. Install it with: pip install 'stormproof[lsp]', or set stormproof.command.`);
  }
};

exports.deactivate = () => client?.stop();
