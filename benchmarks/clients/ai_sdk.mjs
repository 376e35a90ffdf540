// One tool loop by the AI SDK: node ai_sdk.mjs API URL TURNS, in a folder that has `ai` and its providers.
import { generateText, jsonSchema, stepCountIs, streamText, tool } from "ai";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";

const [api, url, turns] = process.argv.slice(2);
const models = {
  responses: () => createOpenAI({ baseURL: `${url}/v1`, apiKey: "none" })("gpt-5.5"),
  chat: () => createOpenAI({ baseURL: `${url}/v1`, apiKey: "none" }).chat("gpt-5.5"),
  anthropic: () => createAnthropic({ baseURL: `${url}/v1`, apiKey: "none" })("claude-opus-4-8"),
  google: () => createGoogleGenerativeAI({ baseURL: `${url}/v1beta`, apiKey: "none" })("gemini-3-flash"),
};
let ran = 0;
const look_up = tool({
  description: "Look up when a ferry leaves a pier.",
  inputSchema: jsonSchema({ type: "object", properties: { pier: { type: "integer" } }, required: ["pier"] }),
  execute: async ({ pier }) => `Call ${++ran}, pier ${pier}: a ferry leaves at noon. ${"It waits for the tide. ".repeat(36)}`,
});
const given = {
  model: models[api](),
  system: "RULE-77: every ferry is named after a bird.",
  tools: { look_up },
  stopWhen: stepCountIs(Number(turns) + 5),
  prompt: `Which ferries leave? Call tools ${turns} times.`,
};
if (api === "chat") await generateText(given);
else for await (const _ of streamText({ ...given, onError: ({ error }) => { throw error; } }).textStream);
