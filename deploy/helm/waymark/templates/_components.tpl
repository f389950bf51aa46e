{{/* What the settings of the services say, from files/services.json. */}}
{{- define "waymark.known" -}}
{{- .Files.Get "files/services.json" -}}
{{- end -}}

{{/* What the settings of a component's service say. */}}
{{- define "waymark.service" -}}
{{- index (include "waymark.known" .root | fromJson).services .key | toJson -}}
{{- end -}}

{{/* The components of the installation. name: of its objects. key: of its values. api: it answers the API. kind: of its workload. */}}
{{- define "waymark.components" -}}
{{- if eq .Values.mode "standalone" -}}
- {name: standalone, key: standalone, api: true, kind: StatefulSet}
{{- else -}}
{{- if .Values.commands.perResource }}
{{- range (include "waymark.known" . | fromJson).resources }}
- {name: commands-{{ . }}, key: commands, resources: {{ . }}, api: true, kind: Deployment}
{{- end }}
{{- else }}
- {name: commands, key: commands, resources: {{ join "," (include "waymark.known" . | fromJson).resources | quote }}, api: true, kind: Deployment}
{{- end }}
- {name: commands-audit, key: commandsAudit, resources: audit, api: true, kind: Deployment}
- {name: query-gateway, key: queryGateway, api: true, kind: Deployment}
- {name: auditor, key: auditor, api: true, kind: Deployment}
- {name: auth, key: auth, api: true, kind: Deployment}
- {name: relay, key: relay, kind: Deployment}
- {name: projector, key: projector, kind: Deployment}
- {name: notary, key: notary, kind: StatefulSet}
- {name: operator, key: operator, kind: Deployment}
- {name: edge, key: edge, api: true, kind: Deployment}
{{- end }}
{{- end -}}

{{/* Returns what the templates of a component need: list ROOT COMPONENT. `values` are its own, with the defaults. */}}
{{- define "waymark.context" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- $own := index $root.Values $component.key -}}
{{- $values := mergeOverwrite (deepCopy $root.Values.defaults) (deepCopy $own) -}}
{{- toJson (merge (dict "values" $values) $component) -}}
{{- end -}}

{{/* Returns the image of a component. An image of its own is not followed by the digest of the other one. */}}
{{- define "waymark.image" -}}
{{- $all := .root.Values.image -}}
{{- $own := default dict .values.image -}}
{{- $repository := default (ternary (printf "%s-edge" $all.repository) $all.repository (eq .key "edge")) $own.repository -}}
{{- $tag := default (default .root.Chart.AppVersion $all.tag) $own.tag -}}
{{- $digest := $own.digest -}}
{{- if not (or $own.digest $own.tag $own.repository (eq .key "edge")) -}}{{- $digest = $all.digest -}}{{- end -}}
{{- if $digest -}}{{- printf "%s@%s" $repository $digest -}}{{- else -}}{{- printf "%s:%s" $repository $tag -}}{{- end -}}
{{- end -}}

{{/* Returns the value of a setting as a text: YAML has booleans for on and off, and Helm has floats for numbers. */}}
{{- define "waymark.text" -}}
{{- if kindIs "bool" . -}}{{- ternary "on" "off" . -}}
{{- else if kindIs "float64" . -}}{{- int64 . -}}
{{- else -}}{{- . -}}{{- end -}}
{{- end -}}

{{/* Returns a setting of a component, or nothing: dict root values, and the setting's name as setting. */}}
{{- define "waymark.setting" -}}
{{- $settings := mergeOverwrite (dict) (default dict .root.Values.settings) (default dict .values.settings) -}}
{{- if hasKey $settings .setting -}}{{- include "waymark.text" (get $settings .setting) -}}{{- end -}}
{{- end -}}

{{/* Returns the number of pods of a component. An autoscaler owns it: the number that it chose stays. Where the chart is rendered without a
cluster, the number is that of the values: whoever applies it must not write `replicas` then (deploy/helm/examples/gitops). */}}
{{- define "waymark.replicas" -}}
{{- $auto := default dict .values.autoscaling -}}
{{- $replicas := default 1 .values.replicas | int -}}
{{- if and (hasKey .values "replicas") (eq (int .values.replicas) 0) -}}{{- $replicas = 0 -}}{{- end -}}
{{- if $auto.enabled -}}
{{- $name := printf "%s-%s" (include "waymark.fullname" .root) .name -}}
{{- $live := dig "spec" "replicas" 0 (lookup "apps/v1" "Deployment" .root.Release.Namespace $name) -}}
{{- $replicas = max $replicas (int $auto.minReplicas) (int $live) -}}
{{- end -}}
{{- $replicas -}}
{{- end -}}

{{/* Returns the smallest number of pods that a component will have. */}}
{{- define "waymark.leastReplicas" -}}
{{- $auto := default dict .values.autoscaling -}}
{{- if and $auto.enabled $auto.minReplicas -}}{{- int $auto.minReplicas -}}{{- else -}}{{- default 1 .values.replicas | int -}}{{- end -}}
{{- end -}}

{{/* The seconds that requests at the edge may take to finish, by default. */}}
{{- define "waymark.edgeStopSeconds" -}}60{{- end -}}

{{/* Returns the seconds that a pod may take to stop: it answers on, finishes, and a projector feeds readers of its generation. */}}
{{- define "waymark.graceSeconds" -}}
{{- $known := include "waymark.known" .root | fromJson -}}
{{- $stop := include "waymark.setting" (merge (dict "setting" "WAYMARK_STOP_SECONDS") .) | int -}}
{{- if eq $stop 0 -}}
{{- $stop = int $known.stopSeconds -}}
{{- if eq .key "projector" -}}
{{- $grace := include "waymark.setting" (merge (dict "setting" "WAYMARK_GRACE_SECONDS") .) | default ($known.graceSeconds | toString) -}}
{{- $stop = add $stop (int $grace) -}}
{{- else if eq .key "edge" -}}
{{- $stop = include "waymark.edgeStopSeconds" . -}}
{{- end -}}
{{- end -}}
{{- add (int .root.Values.drainSeconds) (int $stop) 10 -}}
{{- end -}}
